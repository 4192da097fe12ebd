import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = readFileSync(path.join(root, 'docs', 'console-pictures.md'), 'utf8');
const folder = path.join(root, 'docs', 'images', 'console');
const shown = [...document.matchAll(/\]\(images\/console\/([^)]+)\)/g)].map(([, file = '']) => file);

/** The addresses of all pages of the console, as documents write them: `/orders/{number}`. */
function addressesOfPages(): string[] {
  const routes = path.join(root, 'console', 'src', 'routes');
  const code = readdirSync(routes)
    .map((file) => readFileSync(path.join(routes, file), 'utf8'))
    .join('\n');
  const found = [...code.matchAll(/const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']+)'/g)];
  const paths = new Map(found.map(([, name = '', parent = '', own = '']) => [name, { parent, own }]));
  const whole = (name: string): string => {
    const { parent, own } = paths.get(name) ?? { parent: '', own: '' };
    return parent === '' ? '' : whole(parent) + own;
  };
  return [...new Set([...paths.keys()].map((name) => whole(name).replace(/(?<=.)\/$/, '')))].map((address) =>
    address.replaceAll(/\$(\w+)/g, '{$1}'),
  );
}

describe('The pictures of the console', () => {
  it('show every page', () => {
    const sections = document.split(/^#{2,3} /m);
    const seen = sections
      .filter((section) => section.includes('](images/console/'))
      .flatMap((section) => /^[^\n]+: `([^`]+)`\n/.exec(section)?.slice(1) ?? []);
    const pages = addressesOfPages();
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((page) => !seen.includes(page))).toEqual([]);
    expect(seen.filter((page) => !pages.includes(page))).toEqual([]);
  });

  it('exist, each once, and no other exists', () => {
    expect(shown.toSorted()).toEqual(readdirSync(folder).toSorted());
  });

  it('are small', () => {
    const sizes = shown.map((file) => [file, statSync(path.join(folder, file)).size] as const);
    expect(sizes.filter(([, size]) => size > 44 * 1024)).toEqual([]);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(2.5 * 1024 * 1024);
  });
});
