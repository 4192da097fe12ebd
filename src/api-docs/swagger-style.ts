import { paletteCss } from './palette.js';

const METHODS = { get: 'busy', post: 'good', patch: 'warn', delete: 'bad' };

const operations = Object.entries(METHODS).map(
  ([method, colour]) => `
  .opblock.opblock-${method} { border-color: var(--${colour}); background: var(--${colour}-soft); box-shadow: none }
  .opblock.opblock-${method} .opblock-summary { border-color: var(--${colour}) }
  .opblock.opblock-${method} .opblock-summary-method { background: var(--${colour}); color: var(--page) }`,
);

/** Swagger UI in the colours of the documentation. `:root:root` outweighs the rules of its dark mode. */
export const SWAGGER_CSS = `${paletteCss()}
html { color-scheme: light } html.dark-mode { color-scheme: dark }
:root:root, :root:root body { background: var(--page) }
.back { position: absolute; top: 16px; left: 20px; z-index: 1; font: 600 14px sans-serif }
.back a { color: var(--link) }
:root:root .swagger-ui {
  background: var(--page);
  .topbar { padding: 10px 0; background: var(--page); border-bottom: 1px solid var(--line) }
  .topbar .link { display: none }
  .topbar-wrapper { justify-content: flex-end }
  .topbar .dark-mode-toggle button svg { fill: var(--muted) }
  .scheme-container { background: var(--side); box-shadow: none; border-block: 1px solid var(--line) }
  .info .title, .info p, .opblock-tag, .opblock-summary-path, .opblock-summary-description { color: var(--ink) }
  .info a, .markdown a, .renderedMarkdown a { color: var(--link) }
  .info .title small, .info .title small.version-stamp { background: var(--accent) }
  .info .title small pre { color: var(--page) }
  .markdown code, .renderedMarkdown code { background: var(--side); color: var(--link) }
  .scheme-container .btn.authorize, .btn.authorize { border-color: var(--accent); color: var(--link) }
  .btn.authorize svg { color: var(--link); fill: var(--link) }
  .btn.execute { border-color: var(--accent); background: var(--accent); color: var(--page) }
${operations.join('')}
}`;

/** Adds a link to the documentation at the top of the page: Swagger UI has no option for one. */
export const BACK_SCRIPT = `addEventListener('DOMContentLoaded', () => {
  const back = document.createElement('nav');
  back.className = 'back';
  back.setAttribute('aria-label', 'Site');
  const link = document.createElement('a');
  link.href = '/';
  link.textContent = '← Documentation';
  back.append(link);
  document.body.prepend(back);
});
`;
