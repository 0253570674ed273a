"""Fills a store with records and their statistics, as fast as it takes them."""

import multiprocessing
import os
from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import Any

import bson
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient, WriteConcern
from pymongo.collection import Collection

from bench.size.shape import BUCKETS, MESSAGE, Shape

BULK = 50 * MESSAGE
MINUTE = 60_000
LEVELS = {"hour": 60, "day": 1440}  # in minutes
CELL = ("outcome", "client", "lane", "topic", "push_type", "reason")
Cells = dict[tuple, Counter]  # by minute of the message and what a cell has in common: how many, and of which latency


def fill(url: str, database: str, shape: Shape) -> None:
    """Makes the records on every core, then the statistics; there are no indexes yet but that of the keys."""
    workers = min(os.cpu_count() or 1, 8)
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        jobs = [(url, database, shape, worker, workers) for worker in range(workers)]
        counted = pool.map(_insert, jobs, chunksize=1)
    cells: Cells = defaultdict(Counter)
    for part in counted:
        for key, counts in part.items():
            cells[key].update(counts)
    client: MongoClient
    with MongoClient(url) as client:
        _count(client[database]["statistics"], cells)


def _insert(job: tuple[str, str, Shape, int, int]) -> Cells:
    """One worker's bulks: those in turn, so that all together come in the order of time."""
    url, database, shape, worker, workers = job
    cells: Cells = defaultdict(Counter)
    client: MongoClient
    with MongoClient(url) as client:
        deliveries: Any = client[database].get_collection("deliveries", write_concern=WriteConcern(w=1, j=False))
        for first in range(worker * BULK, shape.count, workers * BULK):
            records = [shape.record(number) for number in range(first, min(first + BULK, shape.count))]
            deliveries.insert_many([RawBSONDocument(bson.encode(record)) for record in records], ordered=False)
            for number, record in enumerate(records, first):
                _add(cells, shape.time(number // MESSAGE), record)
    return cells


def _add(cells: Cells, time: int, record: dict) -> None:
    outcome = int(record["date"].timestamp() * 1000) // MINUTE
    counts = cells[(time // MINUTE, outcome, *(record.get(name) for name in CELL))]
    counts["count"] += 1
    if "latency_ms" in record:
        counts[str(bisect_right(BUCKETS, record["latency_ms"]))] += 1


def _count(statistics: Collection, cells: Cells) -> None:
    """Writes what a dispatcher has counted when its minutes are closed, and what hours and days have of them."""
    found = _documents(cells, 1)
    documents = [
        {
            "_id": f"id/{minute}/size/0",
            "minute": _date(minute),
            "basis": "id",
            "state": "closed",
            "writer": "size",
            "flushes": 1,
            "cells": found[minute],
        }
        for minute in sorted(found)
    ]
    for level, length in LEVELS.items():
        documents += [
            {
                "_id": f"{level}/{start}",
                "level": level,
                "start": _date(start),
                "sealed": False,
                "summed": True,
                "state": "closed",
                "version": 1,
                "cells": found,
            }
            for start, found in sorted(_documents(cells, length).items())
        ]
    for first in range(0, len(documents), 5_000):
        statistics.insert_many(documents[first : first + 5_000], ordered=False)


def _documents(cells: Cells, length: int) -> dict[int, list]:
    """The cells of documents of so many minutes, by the minute in which those begin."""
    sums: Cells = defaultdict(Counter)
    for (minute, outcome, *names), counts in cells.items():
        sums[(minute // length * length, outcome // length * length, *names)].update(counts)
    documents: dict[int, list] = defaultdict(list)
    for (start, outcome, *names), counts in sums.items():
        cell = {"at": _date(outcome)} | {name: value for name, value in zip(CELL, names) if value is not None}
        cell["count"] = counts["count"]
        latency = {bucket: count for bucket, count in counts.items() if bucket != "count"}
        if latency:
            cell["latency"] = latency
        documents[start].append(cell)
    return documents


def _date(minute: int) -> datetime:
    return datetime.fromtimestamp(minute * 60, UTC)
