/**
 * The types that all boards share. This file holds no code; it is read by type checkers and people.
 *
 * A board module exports one function, `mount`, of the type `Mount`.
 *
 * @module
 */

/**
 * What a seat may know of a position. Each game adds its own parts; the first ones are the same in
 * every game (`view_frame` in envs/drawing/frame.py). A game without a view of its own has `text`.
 *
 * @typedef {object} View
 * @property {number | null} seat who looks; null: a spectator, who sees everything
 * @property {string[]} names what each seat is called
 * @property {number[]} teams the side of each seat
 * @property {number | null} mover the seat to move; null at the end
 * @property {boolean} over
 * @property {boolean} cut whether the game reached a limit on its length
 * @property {number[]} winners the seats with the best result, empty before the end and in a draw
 * @property {string} [text] a text drawing, with terminal colours
 */

/**
 * @typedef {object} Bidder
 * @property {[number, number]} money the least and the most that this player can have
 * @property {boolean} sealed whether a bid is in that is not opened yet
 * @property {number | null} bid that bid, if the viewer knows it
 * @property {number | null} last_bid the bid of the last round, if there is one and it is known
 */

/**
 * @typedef {object} AuctionParts
 * @property {Bidder[]} players
 * @property {number} most what one player can have at most
 * @property {number | null} last_winner
 * @property {number | null} advantage who wins ties
 * @property {number} round finished rounds
 * @property {number | null} max_rounds
 * @property {"bank" | "opponent"} payment
 * @property {"alternate" | "coin" | "holder"} tie
 *
 * @typedef {View & AuctionParts} AuctionView
 */

/**
 * @typedef {object} LineParts
 * @property {number} position
 * @property {number} length
 * @property {number} start
 * @property {boolean} at_an_end
 *
 * @typedef {AuctionView & LineParts} LineView
 */

/** @typedef {[number, number]} Point */

/**
 * @typedef {object} GraphParts
 * @property {number} vertex where the token is
 * @property {number | null} chooser who moves the token now
 * @property {[number, number]} targets
 * @property {number[][]} successors
 * @property {number} first_way the action that moves the token to vertex 0
 * @property {Point[]} places
 * @property {number} radius
 * @property {[number, number, Point[]][]} routes
 *
 * @typedef {AuctionView & GraphParts} GraphView
 */

/**
 * @typedef {object} TablePlayer
 * @property {number} bank
 * @property {number[]} hand indexes of cards
 * @property {boolean} sealed
 * @property {number | null} bid
 * @property {number | null} last_bid
 * @property {boolean} took whether this player took the last pot, or a share of it
 */

/**
 * @typedef {object} TableParts
 * @property {number[]} cards values
 * @property {number[]} items values
 * @property {number[]} to_come indexes of items
 * @property {number} pot
 * @property {number} carried
 * @property {number} round
 * @property {number} rounds
 * @property {"carry" | "discard" | "split"} tie
 * @property {number | null} last_pot
 * @property {TablePlayer[]} players
 *
 * @typedef {View & TableParts} TableView
 */

/**
 * @typedef {object} CoinsParts
 * @property {Point[]} cells row and column of each coin
 * @property {boolean} triangular
 * @property {number[]} lying
 * @property {Record<string, number[]>} takes action -> its coins
 * @property {number[]} last
 * @property {number | null} taker
 * @property {number[] | null} values
 * @property {number[] | null} points
 * @property {boolean} gaps
 * @property {"last" | "points"} score
 * @property {"loses" | "wins"} last_coin
 * @property {number} last_bonus
 * @property {number | null} max_take
 *
 * @typedef {View & CoinsParts} CoinsView
 */

/**
 * @typedef {object} Place
 * @property {number} cards how many
 * @property {number[] | null} hand null: not known to the viewer
 * @property {number[] | null} to_come
 * @property {number[]} lacks suits
 * @property {number[]} without cards
 * @property {number[]} holds cards
 * @property {number | null} call
 * @property {boolean} away
 */

/**
 * @typedef {object} Trick
 * @property {[number, number][]} cards seat and card, in the order of play
 * @property {number} winner
 * @property {number} points
 */

/**
 * @typedef {object} TricksParts
 * @property {Record<string, number>} actions the first action of each kind
 * @property {"bidding" | "doubling" | "trump" | "single" | "playing" | "finished"} phase
 * @property {string} task
 * @property {string} ending
 * @property {string} stage
 * @property {number} first
 * @property {Place[]} seats
 * @property {[number, number][]} calls
 * @property {number | null} bidder
 * @property {number | null} declarer
 * @property {number | null} contract
 * @property {number | null} target
 * @property {number} stake
 * @property {number | null} single
 * @property {number | null} married
 * @property {number} married_in
 * @property {number | null} trump
 * @property {boolean} trump_chosen
 * @property {boolean} seventh
 * @property {number | null} seventh_card
 * @property {number | null} revealed_in
 * @property {number | null} revealer
 * @property {boolean} asked
 * @property {Trick[]} tricks
 * @property {Trick | null} table
 * @property {[number, number]} points
 * @property {[number, number]} won
 * @property {number} most
 * @property {number | null} match_to
 * @property {[number, number] | null} score
 * @property {number} deals
 * @property {number} redeals
 * @property {string[]} rules
 *
 * @typedef {View & TricksParts} TricksView
 */

/**
 * @typedef {object} LastMove
 * @property {number} seat
 * @property {number} [action] left out if the viewer cannot know it
 * @property {string} words
 */

/**
 * What a board is given.
 *
 * @template {View} [V=View]
 * @typedef {object} Props
 * @property {V} view
 * @property {number[]} legal the actions that the viewing seat may take now
 * @property {Record<number, string>} phrases action -> words
 * @property {boolean} enabled false: the board is only looked at
 * @property {LastMove | null} lastMove
 */

/**
 * @template {View} [V=View]
 * @typedef {Props<V> & {onAction: (action: number) => void}} MountProps
 */

/**
 * @template {View} [V=View]
 * @typedef {object} Board
 * @property {(props: Props<V>) => void} update draw another position, or the same one anew
 * @property {() => void} destroy take the board off the page
 */

/**
 * @template {View} [V=View]
 * @typedef {(element: HTMLElement, props: MountProps<V>) => Board<V>} Mount
 */

export {};
