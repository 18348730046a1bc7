"""Appraisals: saved policies measured against bots and against the exact solution."""

from bidarena.evaluate.appraisal.measure import Appraisal, appraise

__all__ = ["Appraisal", "appraise"]
