/**
 * The small script of a page with a map: the picture stays until the reader asks for the moving map by the button
 * `[data-map-open]`, or, if the figure has `data-map-auto`, until it is seen. Only then the rest is loaded.
 */
for (const figure of document.querySelectorAll<HTMLElement>('[data-map-tiles]')) {
  const button = figure.querySelector<HTMLElement>('[data-map-open]');
  const open = async () => {
    button?.setAttribute('aria-busy', 'true');
    const { openMap } = await import('./map.ts');
    await openMap(figure, button);
  };
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    void open();
  });
  if ('mapAuto' in figure.dataset) {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void open();
    });
    observer.observe(figure);
  }
}
