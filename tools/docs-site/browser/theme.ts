import { kept } from './kept.js';

// Runs before anything is drawn.
const theme = kept('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
