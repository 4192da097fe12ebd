// The second step of `npm run build`: packs the packages that the build imports into some thirty files of dist/vendor, and
// makes the build import those. Finding and reading 1,500 modules is most of a start otherwise. The compiler's own files
// stay as they are but for these imports; without this step they work just the same, only later.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isUnpacked, pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const vendor = path.join(dist, 'vendor');
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const isPacked = (specifier) =>
  /^(@[^/]+\/)?[^/]+/.exec(specifier)[0] in dependencies && !isUnpacked(specifier);

const files = readdirSync(dist, { recursive: true })
  .filter((file) => file.endsWith('.js') && !/^(console|site)\b/.test(file))
  .map((file) => path.join(dist, file));
/** The names that are imported of each package. */
const imported = new Map();

async function collectImports(file) {
  const { text, statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const byName = statements.filter(
    ({ moduleSpecifier }) => moduleSpecifier && isPacked(moduleSpecifier.text),
  );
  for (const statement of byName) await addNames(statement.moduleSpecifier.text, namesOf(statement));
  // What is left is `import()`, which gives everything.
  const specifiers = new Set(byName.map(({ moduleSpecifier }) => moduleSpecifier.text));
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles)
    if (isPacked(fileName) && !specifiers.has(fileName)) await addNames(fileName, null);
}

/** What a statement imports or exports by name; null when it is everything. */
function namesOf({ kind, importClause, exportClause }) {
  const named = importClause?.namedBindings ?? exportClause;
  const isEverything = named ? !named.elements : kind === ts.SyntaxKind.ExportDeclaration;
  if (isEverything) return null;
  const names = (named?.elements ?? []).map(({ propertyName, name }) => (propertyName ?? name).text);
  return importClause?.name ? ['default', ...names] : names;
}

async function addNames(specifier, names) {
  const known = imported.get(specifier) ?? new Set();
  imported.set(specifier, known);
  for (const name of names ?? Object.keys(await import(specifier)))
    if (name !== 'module.exports') known.add(name);
}

/** Only what is between the quotes changes: source maps still fit. */
function redirectImports(file) {
  let text = readFileSync(file, 'utf8');
  const { importedFiles } = ts.preProcessFile(text, true, true);
  for (const { fileName, pos } of importedFiles.filter((each) => isPacked(each.fileName)).reverse()) {
    const start = text.indexOf(fileName, pos);
    const target = path.relative(path.dirname(file), path.join(vendor, `${fileName}.mjs`));
    const specifier = target.startsWith('.') ? target : `./${target}`;
    text = text.slice(0, start) + specifier + text.slice(start + fileName.length);
  }
  writeFileSync(file, text);
}

for (const file of files) await collectImports(file);
await pack(imported, vendor);
for (const file of files) redirectImports(file);
