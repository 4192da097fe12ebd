/**
 * The colours of the documentation and of Swagger UI, each in light and dark. The console has the same colours
 * (`console/src/app.css`).
 */
export const PALETTE = {
  page: ['#ffffff', '#14161c'],
  side: ['#f7f8fa', '#191c24'],
  line: ['#e3e5ea', '#2c303b'],
  ink: ['#1c2130', '#e8eaf0'],
  muted: ['#5b6273', '#a3aabb'],
  link: ['#4238c2', '#aaa4fb'],
  accent: ['#4a3fd6', '#8d85f5'],
  'accent-soft': ['#eeedfc', '#2a2850'],
  good: ['#11694a', '#6fd3a6'],
  'good-soft': ['#e2f5ec', '#153226'],
  bad: ['#b3203a', '#ff9aa8'],
  'bad-soft': ['#fdeaec', '#43191f'],
  warn: ['#8a5300', '#f0bd68'],
  'warn-soft': ['#fdf1db', '#3a2a10'],
  busy: ['#1f5fa8', '#8fc0f7'],
  'busy-soft': ['#e6f0fb', '#162c45'],
} as const;

/** The palette as variables of CSS. `color-scheme` of the page chooses between light and dark. */
export const paletteCss = (): string =>
  `:root{${Object.entries(PALETTE)
    .map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`)
    .join(';')}}`;
