import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';
import { withTables } from './generated-tables.js';
import { siteMap } from './site-map.js';

/** Documents with tables that are not on the site. */
const FOR_OPERATORS = ['docs/console.md'];

// Writes the tables made from the code into the documents. `npm run openapi` calls it.
const files = siteMap([]).flatMap(({ pages }) => pages.flatMap(({ source }) => source ?? []));
for (const file of [...files, ...FOR_OPERATORS].map((each) => path.join(projectRoot, each))) {
  const written = readFileSync(file, 'utf8');
  const fresh = withTables(written);
  if (fresh !== written) writeFileSync(file, fresh);
}
