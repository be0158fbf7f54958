/**
 * The moving map of rows: OpenLayers on a canvas, with vector tiles of the same rows as the picture in whose place it comes. All
 * that it needs is in the figure's attributes (`src/pages/map-figure.ts`), and it asks no other host.
 */

import Zoom from 'ol/control/Zoom.js';
import MVT from 'ol/format/MVT.js';
import { defaults as defaultInteractions } from 'ol/interaction/defaults.js';
import VectorTileLayer from 'ol/layer/VectorTile.js';
import OpenLayersMap from 'ol/Map.js';
import { transformExtent } from 'ol/proj.js';
import VectorTileSource from 'ol/source/VectorTile.js';
import View from 'ol/View.js';
import type { Tileset } from '../src/catalogue/maps.ts';
import { makeBaseLayer } from './base-layer.ts';
import { type MapTexts, makeLink, mapTexts, RowPanel } from './row-panel.ts';
import { makeRowStyle } from './row-style.ts';

/** The members of `tiles.json` that are used here. */
interface TilesetDocument {
  readonly tiles: readonly string[];
  readonly maxzoom: number;
  readonly extent: Tileset['bounds'];
  readonly classes: Tileset['legend'];
  readonly column: Tileset['column'];
  /** Name of the parameter of a box. */
  readonly box: string;
}

/** Height of a tap or a click around a feature that still means it, in pixels. */
const hitTolerance = 5;
const keyboardTolerance = 24;

/** Puts the map over the picture of a figure. If that fails, the picture stays, and the button says why. */
export async function openMap(figure: HTMLElement, button: HTMLElement | null): Promise<void> {
  if (figure.querySelector('.map-live')) return;
  const texts: MapTexts = { ...mapTexts, ...JSON.parse(figure.dataset.mapTexts ?? '{}') };
  try {
    await addStylesheet();
    const address = new URL(figure.dataset.mapTiles ?? '', document.baseURI);
    const response = await fetch(address, { headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(`${response.status}`);
    showMap(figure, button, texts, (await response.json()) as TilesetDocument);
  } catch {
    if (button) button.textContent = texts.failed;
  }
}

let styles: Promise<void> | undefined;

/** Loads the styles of the map, which stand beside this script. */
function addStylesheet(): Promise<void> {
  styles ??= new Promise((resolve, reject) => {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'stylesheet', href: new URL('map.css', import.meta.url).href });
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      styles = undefined;
      reject(new Error(link.href));
    };
    document.head.append(link);
  });
  return styles;
}

function showMap(figure: HTMLElement, button: HTMLElement | null, texts: MapTexts, tileset: TilesetDocument): void {
  const stage = figure.querySelector<HTMLElement>('[data-map-stage]') ?? figure;
  const target = Object.assign(document.createElement('div'), { className: 'map-live', tabIndex: 0 });
  target.setAttribute('role', 'application');
  target.setAttribute('aria-label', texts.label);
  stage.append(target);
  const animates = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  const duration = animates ? 250 : 0;
  const source = new VectorTileSource({
    format: new MVT({ layers: ['rows'], layerName: '_layer' }),
    // The same host as the page, whatever the server calls itself.
    url: (tileset.tiles[0] ?? '').replace(/^https?:\/\/[^/]+/, ''),
    maxZoom: tileset.maxzoom,
  });
  const rows = new VectorTileLayer({
    source,
    // Redrawn while it moves: a table may have features of all sizes.
    updateWhileAnimating: false,
  });
  const base = makeBaseLayer();
  const restyle = () => {
    base.restyle(figure);
    rows.setStyle(makeRowStyle(figure, { legend: tileset.classes, column: tileset.column }));
  };
  restyle();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
  const map = new OpenLayersMap({
    target,
    layers: [...base.layers, rows],
    controls: [new Zoom({ zoomInTipLabel: texts.zoomIn, zoomOutTipLabel: texts.zoomOut, zoomOutLabel: '−', duration })],
    // The wheel scrolls the page unless the map has the focus.
    interactions: defaultInteractions({
      altShiftDragRotate: false,
      pinchRotate: false,
      onFocusOnly: true,
      zoomDuration: duration,
    }),
    view: new View({ center: [0, 0], zoom: 1, maxZoom: 20, enableRotation: false }),
  });
  const [west, south, east, north] = tileset.extent ?? [-180, -60, 180, 75];
  const extent = transformExtent([west, Math.max(-85, south), east, Math.min(85, north)], 'EPSG:4326', 'EPSG:3857');
  map.getView().fit(extent, { size: map.getSize() ?? [600, 300], padding: [16, 16, 16, 16], maxZoom: 12 });
  map.getView().on('change:resolution', () => base.showDetail(map.getView().getZoom() ?? 0));
  base.showDetail(map.getView().getZoom() ?? 0);

  const panel = new RowPanel(stage, target, figure.dataset.rows ?? '', texts);
  const showRowAt = (pixel: number[], tolerance: number) => {
    const found = map.forEachFeatureAtPixel(pixel, (feature) => feature, {
      hitTolerance: tolerance,
      layerFilter: (layer) => layer === rows,
    });
    const id = found?.getId();
    if (found && id !== undefined) void panel.show(Number(id), Number(found.get('_rows') ?? 1));
    else panel.hide();
  };
  map.on('click', ({ pixel }) => showRowAt(pixel, hitTolerance));
  map.on('pointermove', ({ pixel, dragging }) => {
    if (dragging) return;
    target.classList.toggle(
      'map-hit',
      map.hasFeatureAtPixel(pixel, { hitTolerance, layerFilter: (layer) => layer === rows }),
    );
  });
  target.addEventListener('keydown', ({ key, target: at }) => {
    const [width = 0, height = 0] = map.getSize() ?? [];
    if (key === 'Enter' && at === target) showRowAt([width / 2, height / 2], keyboardTolerance);
  });
  stage.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') panel.hide();
  });
  saySomeTilesFailed(stage, source, texts);
  if (figure.dataset.rows) addViewLink(stage, map, { rows: figure.dataset.rows, box: tileset.box }, texts.rowsInView);
  map.once('rendercomplete', () => {
    if (button) button.hidden = true;
    figure.dataset.mapReady = '';
    target.focus({ preventScroll: true });
  });
}

/** Says so when tiles could not be loaded, since their place looks like one without rows, and offers to load them again. */
function saySomeTilesFailed(stage: HTMLElement, source: VectorTileSource, texts: MapTexts): void {
  const note = Object.assign(document.createElement('div'), { className: 'map-note' });
  note.setAttribute('role', 'status');
  const again = Object.assign(document.createElement('button'), { type: 'button', textContent: texts.tryAgain });
  again.addEventListener('click', () => {
    note.replaceChildren();
    stage.querySelector<HTMLElement>('.map-live')?.focus({ preventScroll: true });
    source.refresh();
  });
  stage.append(note);
  source.on('tileloaderror', () => {
    if (!note.firstChild) note.append(`${texts.tilesFailed} `, again);
  });
}

/** Decimal places of a degree: a tenth of a metre. */
const places = 1e6;

/** A link to the rows in the part of the world that the map shows: the filter by a box, which follows the map. */
function addViewLink(
  stage: HTMLElement,
  map: OpenLayersMap,
  { rows, box }: { readonly rows: string; readonly box: string },
  text: string,
): void {
  const link = makeLink({ className: 'map-view', textContent: text });
  stage.append(link);
  const update = () => {
    const view = map.getView().calculateExtent(map.getSize() ?? [600, 300]);
    const [west = 0, south = 0, east = 0, north = 0] = transformExtent(view, 'EPSG:3857', 'EPSG:4326');
    const address = new URL(rows, document.baseURI);
    const { searchParams: parameters } = address;
    // On the page of the rows, the columns and the order stay.
    const shown = new URLSearchParams(address.pathname === location.pathname ? location.search : '');
    for (const name of ['_fields', '_ordering']) for (const value of shown.getAll(name)) parameters.append(name, value);
    for (const name of ['bbox', '_bbox']) parameters.delete(name);
    // Outwards, so that no row at the edge is left out.
    const [left, bottom] = [turned(west), south].map((degrees) => Math.floor(degrees * places) / places);
    const [right, top] = [turned(east), north].map((degrees) => Math.ceil(degrees * places) / places);
    const filter = east - west < 360 ? `${box}=${[left, bottom, right, top]}` : '';
    const search = [parameters.toString(), filter].filter(Boolean).join('&');
    link.href = address.pathname + (search && `?${search}`);
  };
  map.on('moveend', update);
  update();
}

/** A longitude from -180 to 180. */
const turned = (degrees: number): number =>
  Math.abs(degrees) <= 180 ? degrees : ((((degrees + 180) % 360) + 360) % 360) - 180;
