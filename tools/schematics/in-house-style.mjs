// What `nest generate` makes, in the style that `npm run lint` and the compiler ask for. collection.json lists what comes by
// here; nest-cli.json names it as Nest's CLI finds it: by a path that starts in a package and has no dot in front, because
// the CLI only pretends to write what a collection with a dot in front makes.
import { chain, externalSchematic } from '@angular-devkit/schematics';
import * as prettier from 'prettier';

/** The generator of the same name in Nest's own collection, and then the style. */
export const generate = (options) => (tree, context) =>
  chain([externalSchematic('@nestjs/schematics', context.schematic.description.name, options), restyle]);

async function restyle(tree) {
  const written = tree.actions.filter(({ kind, path }) => 'co'.includes(kind) && path.endsWith('.ts'));
  for (const { kind, path } of written) {
    const text = tree.readText(path);
    // What was there before, such as a module that gets one more import, is only formatted.
    const styled = kind === 'c' ? inHouseStyle(text, path) : text;
    const config = await prettier.resolveConfig(path.slice(1));
    tree.overwrite(path, await prettier.format(styled, { ...config, filepath: path }));
  }
}

function inHouseStyle(text, path) {
  if (path.endsWith('.spec.ts')) return importGlobals(text);
  return text.replace(/\bany\b(?=[,>)])/g, 'unknown').replace(METHOD, typedMethod);
}

/** Jest's globals are no globals to the compiler. */
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

/** All that Nest's templates return is text, but for a pipe that returns its value. */
function returnTypeOf(body) {
  if (!body.includes('return')) return 'void';
  return body.includes('return value;') ? 'unknown' : 'string';
}
