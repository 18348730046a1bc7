"""The arena: play, watch and analyse every game in the browser.

settings.py     what is chosen at start, and the limits of what a browser may ask for
guard.py        refuses requests of other sites, requests without the token, too many of them
catalogue.py    games with their rules as a form, and who can be played against
sights.py       a position as one seat may see it, for JSON
table.py        one game that is being played or watched
hall.py         all games: in memory while they are played, always in the store
store.py        games in an SQLite database
analysis.py     finished games, position by position
archive.py      tournaments and training runs in the folders named at start
answers.py      what each address answers
app.py          the application, and how it is started
static/         the page: plain JavaScript modules, SVG and CSS, and the boards of games
"""
