// Gives the files of `nest generate` the style that `npm run lint` and the compiler demand. collection.json lists the generators.
// nest-cli.json names the collection by a path that starts in a package: with a leading dot, Nest's CLI reports files without
// writing them.
import { chain, externalSchematic } from '@angular-devkit/schematics';
import * as prettier from 'prettier';

/** Runs the generator of the same name in Nest's own collection, and then applies the style. */
export const generate = (options) => (tree, context) =>
  chain([externalSchematic('@nestjs/schematics', context.schematic.description.name, options), restyle]);

async function restyle(tree) {
  const written = tree.actions.filter(({ kind, path }) => 'co'.includes(kind) && path.endsWith('.ts'));
  for (const { kind, path } of written) {
    const text = tree.readText(path);
    // Existing files, such as a module that gets one more import, are only formatted.
    const styled = kind === 'c' ? inHouseStyle(text, path) : text;
    const config = await prettier.resolveConfig(path.slice(1));
    tree.overwrite(path, await prettier.format(styled, { ...config, filepath: path }));
  }
}

function inHouseStyle(text, path) {
  if (path.endsWith('.spec.ts')) return importGlobals(text);
  return text.replace(/\bany\b(?=[,>)])/g, 'unknown').replace(METHOD, typedMethod);
}

/** The compiler does not know Jest's globals. */
function importGlobals(text) {
  const used = ['beforeEach', 'describe', 'expect', 'it'].filter((name) => text.includes(`${name}(`));
  return `import { ${used.join(', ')} } from '@jest/globals';\n${text}`;
}

/** A method, its parameters, its return type and its body, which is a line or ends in a line with a bracket only. */
const METHOD = /^ {2}(?!constructor)(\w+)\(([^{]*)\)(: [^{]+)? (\{\}|\{\n[^]*?\n {2}\})$/gm;

function typedMethod(_method, name, parameters, stated, body) {
  const named = parameters.replace(/\w+(?=: )/g, (parameter) =>
    new RegExp(`\\b${parameter}\\b`).test(body) ? parameter : `_${parameter}`,
  );
  return `  ${name}(${named})${stated ?? `: ${returnTypeOf(body)}`} ${body}`;
}

/** In Nest's templates every method returns text, except a pipe's, which returns its value. */
function returnTypeOf(body) {
  if (!body.includes('return')) return 'void';
  return body.includes('return value;') ? 'unknown' : 'string';
}
