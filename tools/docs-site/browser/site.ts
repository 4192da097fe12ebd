import { addCopyButtons } from './copy.js';
import { followContents } from './contents.js';
import { keep } from './kept.js';
import { setUpSearch } from './search.js';
import { makeTabs } from './tabs.js';

/** Changes from light colours to dark ones, or back. */
function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  dataset.theme = isDark ? 'light' : 'dark';
  keep('theme', dataset.theme);
}

const themeSwitch = document.querySelector<HTMLElement>('[data-theme-switch]');
themeSwitch?.removeAttribute('hidden');
themeSwitch?.addEventListener('click', switchTheme);

makeTabs();
addCopyButtons();
followContents();
setUpSearch();
// The list of pages is long: show the entry of this page.
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' });
