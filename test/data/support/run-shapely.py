"""Tests geometries with shapely (GEOS): the second implementation for geos.test.ts.

Reads {"layers": {name: [geometry]}, "queries": [{"geometry", "distance"}]} and writes, for each query and layer and
test, the indices of the features for which the test is true, and of those on which shapely fails.
"""
import json
import sys

from shapely.geometry import shape
from shapely.geos import geos_version_string

TESTS = {
    "intersects": lambda feature, query, distance: feature.intersects(query),
    "within": lambda feature, query, distance: feature.within(query),
    "contains": lambda feature, query, distance: feature.contains(query),
    "disjoint": lambda feature, query, distance: feature.disjoint(query),
    # GEOS calls the distance to nothing 0; we, as PostGIS, find nothing near it.
    "dwithin": lambda feature, query, distance: (
        not feature.is_empty and not query.is_empty and feature.distance(query) <= distance
    ),
}


def run(test, feature, query, distance):
    try:
        return bool(test(feature, query, distance))
    except Exception:
        return None


def main():
    task = json.load(sys.stdin)
    layers = {name: [shape(geometry) for geometry in layer] for name, layer in task["layers"].items()}
    answers = []
    for query in task["queries"]:
        geometry = shape(query["geometry"])
        answer = {}
        for name, features in layers.items():
            for test_name, test in TESTS.items():
                results = [run(test, feature, geometry, query["distance"]) for feature in features]
                answer[f"{name} {test_name}"] = {
                    "true": [i for i, v in enumerate(results) if v],
                    "unknown": [i for i, v in enumerate(results) if v is None],
                }
        answers.append(answer)
    json.dump({"geos": geos_version_string, "answers": answers}, sys.stdout)


main()
