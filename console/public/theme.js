// Before the first paint: the colour scheme and the language that were chosen, or those of the system, and the frame. A script of its
// own, because the content security policy allows none within the page.
(() => {
  const read = (name) => {
    try {
      return window.localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const chosen = read('mantine-color-scheme-value');
  const isDark = chosen === 'dark' || (chosen !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  const { documentElement } = document;
  documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  // The forms before sign-in have another frame than the pages.
  documentElement.toggleAttribute('data-bare', /^\/(login|set-up)(\/|$)/.test(window.location.pathname));
  documentElement.lang = read('console-language') === 'th' ? 'th' : 'en';
})();
