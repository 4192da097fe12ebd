// Before the first paint: the colour scheme and the language that were chosen, or those of the system. A script of its own,
// because the content security policy allows none within the page.
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
  documentElement.lang = read('console-language') === 'th' ? 'th' : 'en';
})();
