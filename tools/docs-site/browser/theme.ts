import { kept } from './kept.js';

// Runs before the browser draws the page, so that no page flashes in the other colours.
const theme = kept('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
