/**
 * The small script of a page with a map: the picture stays until the reader asks for the moving map by the button
 * `[data-map-open]`. Only then the rest is loaded.
 */
for (const figure of document.querySelectorAll<HTMLElement>('[data-map-tiles]')) {
  const button = figure.querySelector<HTMLElement>('[data-map-open]');
  let isOpening = false;
  const open = async () => {
    if (isOpening) return;
    isOpening = true;
    button?.setAttribute('aria-busy', 'true');
    try {
      const { openMap } = await import('./map.ts');
      await openMap(figure, button);
    } catch {
      const { failed } = JSON.parse(figure.dataset.mapTexts ?? '{}');
      if (button && failed) button.textContent = failed;
    }
    button?.removeAttribute('aria-busy');
    isOpening = false;
  };
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    void open();
  });
}
