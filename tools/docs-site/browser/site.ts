import { addCopyButtons } from './copy.js';
import { followContents } from './contents.js';
import { keep } from './kept.js';
import { setUpSearch } from './search.js';
import { makeTabs } from './tabs.js';

/** The other colours than those that are shown now. */
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
// On a small screen the page begins at its content, and a long list would hide where one is.
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' });
