// A map of where the datasets lie: a rectangle drawn on it becomes the four edges of the search by area.

/** @param map element with the edges of the picture in `data-area` */
export function drawArea(map) {
  const [west, south, east, north] = map.dataset.area.split(',').map(Number);
  const frame = document.createElement('div');
  frame.className = 'frame';
  let start = null;

  const placeOf = (event) => {
    const { left, top, width, height } = map.getBoundingClientRect();
    const share = (at, length) => Math.min(1, Math.max(0, at / length));
    return [share(event.clientX - left, width), share(event.clientY - top, height)];
  };
  const draw = (event) => {
    const [x, y] = placeOf(event);
    const [left, right] = [x, start[0]].sort((a, b) => a - b);
    const [top, bottom] = [y, start[1]].sort((a, b) => a - b);
    const percent = (part) => `${100 * part}%`;
    const [width, height] = [percent(right - left), percent(bottom - top)];
    Object.assign(frame.style, { left: percent(left), top: percent(top), width, height });
    return { left, right, top, bottom };
  };
  map.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    start = placeOf(event);
    map.setPointerCapture(event.pointerId);
    map.append(frame);
    draw(event);
  });
  map.addEventListener('pointermove', (event) => start && draw(event));
  map.addEventListener('pointercancel', () => {
    start = null;
    frame.remove();
  });
  map.addEventListener('pointerup', (event) => {
    if (!start) return;
    const { left, right, top, bottom } = draw(event);
    start = null;
    // A click draws nothing.
    if ((right - left) * map.clientWidth < 4 || (bottom - top) * map.clientHeight < 4) return frame.remove();
    const places = Math.max(0, Math.ceil(2 - Math.log10(east - west)));
    const degrees = { west: west + left * (east - west), east: west + right * (east - west) };
    Object.assign(degrees, { north: north - top * (north - south), south: north - bottom * (north - south) });
    const edges = document.querySelector('.where');
    for (const [name, value] of Object.entries(degrees)) edges.elements[`_${name}`].value = value.toFixed(places);
    edges.requestSubmit();
  });
}
