"""Opens layers of a server in QGIS and prints what it found, as JSON. Argument: the address of the server."""

import json
import sys
from urllib.parse import quote

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorTileLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

base = sys.argv[1]
datasets = base + "/api/v1/namespaces/lab/datasets/"
QgsApplication.setPrefixPath("/usr", True)
app = QgsApplication([], False)
app.initQgis()


def describe(layer):
    if not layer.isValid():
        return {"error": layer.error().message()}
    return {
        "rows": len(list(layer.getFeatures())),
        "geometry": QgsWkbTypes.displayString(layer.wkbType()),
        "crs": layer.crs().authid(),
        "columns": {field.name(): field.typeName() for field in layer.fields()},
    }


def collection(name, options=""):
    return QgsVectorLayer(f"url='{base}/ogc/' typename='{name}' {options}", name, "OAPIF")


def colours_of(layer):
    """Number of pixels that a layer of the whole world paints."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setOutputSize(QSize(128, 128))
    settings.setBackgroundColor(QColor("white"))
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    settings.setExtent(QgsRectangle(-20037508, -20037508, 20037508, 20037508))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    return sum(image.pixel(x, y) & 0xFFFFFF != 0xFFFFFF for x in range(128) for y in range(128))


found = {name: describe(collection(name)) for name in sys.argv[2:]}
in_view = collection("lab.many", "restrictToRequestBBOX='1'")
box = QgsFeatureRequest().setFilterRect(QgsRectangle(-5.5, -1, 5.5, 1))
filtered = collection("lab.many")
filtered.setSubsetString('"n" = 7')
tiles = quote(datasets + "many/tiles/{z}/{x}/{y}.mvt", safe="")
tile_layer = QgsVectorTileLayer(f"type=xyz&url={tiles}&zmin=0&zmax=16", "tiles")
found["geojson"] = describe(QgsVectorLayer(datasets + "quoted/data.geojson", "file", "ogr"))
found["in view"] = len(list(in_view.getFeatures(box)))
found["filtered"] = len(list(filtered.getFeatures()))
found["pixels"] = colours_of(tile_layer) if tile_layer.isValid() else None
print(json.dumps(found))
