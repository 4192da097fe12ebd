import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ts from 'typescript';

/** A change at a named place of the build. The name finds the place in any file and any format. */
export interface Change {
  /** A description of the place. */
  seam: string;
  name: string;
  isSeam: (node: ts.Node) => boolean;
  /** @returns the changed text of the place. @throws if the change is impossible. */
  rewrite: (seam: ts.Node) => string;
}

/** The JavaScript of the build: text by path. */
export type Sources = ReadonlyMap<string, string>;

/** Changes nothing. Code that uses a statement's name checks with it that the statement exists. */
export function hasStatement(name: string): Change {
  return {
    seam: `the SQL statement '${name}'`,
    name,
    // `{ name: 'units.claim', … }`, or `statement('units.claim', …)`.
    isSeam: (node) => {
      const parts: readonly ts.Node[] = ts.isObjectLiteralExpression(node)
        ? node.properties.flatMap((each) => (ts.isPropertyAssignment(each) ? [each.initializer] : []))
        : ts.isCallExpression(node)
          ? node.arguments
          : [];
      return parts.some((part) => ts.isStringLiteralLike(part) && part.text === name);
    },
    rewrite: (seam) => seam.getText(),
  };
}

/** Replaces a fragment of the SQL statement with this name. White space in the fragment matches any white space. */
export const inStatement = (name: string, from: string, to: string): Change => ({
  ...hasStatement(name),
  rewrite: (seam) => replaceOnce(seam.getText(), from, to),
});

/** The same in a function. Its name is `file.function`, without the folder, or `Class.method`. */
export const inFunction = (name: string, from: string, to: string): Change => ({
  seam: `the function ${name}`,
  name,
  isSeam: (node) => nameOfFunction(node) === name,
  rewrite: (seam) => replaceOnce(seam.getText(), from, to),
});

function replaceOnce(text: string, from: string, to: string): string {
  const words = from.split(/\s+/).map((word) => word.replace(/\W/g, '\\$&'));
  const fragment = new RegExp(words.join('\\s+'), 'g');
  const times = text.match(fragment)?.length ?? 0;
  if (times !== 1) throw new Error(`has this ${times} times instead of once: ${from}`);
  return text.replace(fragment, () => to);
}

/**
 * Puts code around a method, `Class.method`. The code runs in the build: it may use its arguments and globals, but
 * nothing that is imported or declared outside of it.
 */
export function around<Method extends (...args: never[]) => unknown>(
  name: string,
  code: (original: Method, ...args: Parameters<Method>) => ReturnType<Method>,
): Change {
  return {
    seam: `the method ${name}`,
    name,
    isSeam: (node) => functionOf(node) !== undefined && nameOfFunction(node) === name,
    rewrite: (seam) => {
      const { modifiers, parameters, body } = functionOf(seam) as ts.MethodDeclaration;
      const isAsync = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
      const named = parameters.map((each) => each.getText()).join(', ');
      const original = `${isAsync ? 'async ' : ''}(${named}) => ${body?.getText()}`;
      const call = `(${code.toString()})(${original}, ...args)`;
      const [, method] = name.split('.');
      return ts.isMethodDeclaration(seam)
        ? `${method}(...args) { return ${call}; }`
        : `${method} = (...args) => ${call};`;
    },
  };
}

/** `file.function` or `Class.method`; undefined for any other node. */
function nameOfFunction(node: ts.Node): string | undefined {
  if (functionOf(node) && ts.isClassLike(node.parent))
    return `${node.parent.name?.text}.${(node as ts.ClassElement).name?.getText()}`;
  const isArrow = ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer);
  if (!ts.isFunctionDeclaration(node) && !isArrow) return undefined;
  return `${basename(node.getSourceFile().fileName, '.js')}.${node.name?.getText()}`;
}

/** A method's function, written as `method() {…}` or as `method = () => …`. */
function functionOf(node: ts.Node): ts.MethodDeclaration | ts.ArrowFunction | undefined {
  if (ts.isMethodDeclaration(node)) return node;
  const value = ts.isPropertyDeclaration(node) ? node.initializer : undefined;
  return value && ts.isArrowFunction(value) ? value : undefined;
}

export function readBuild(directory: string): Sources {
  const files = readdirSync(join(directory, 'dist/src'), { recursive: true, withFileTypes: true });
  const scripts = files.filter((file) => file.isFile() && file.name.endsWith('.js'));
  const paths = scripts.map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  return new Map(paths.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

/** @throws if the build does not have the place exactly once, or the place does not have the text to change. */
export function applyChange(sources: Sources, { seam, name, isSeam, rewrite }: Change): Sources {
  const found = [...sources].flatMap(([path, text]) => {
    if (!name.split('.').every((part) => path.includes(part) || text.includes(part))) return [];
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    return nodesOf(source)
      .filter(isSeam)
      .map((node) => ({ path, text, node }));
  });
  const [only, another] = found;
  if (!only) throw new Error(`${seam} is nowhere in dist/src`);
  if (another)
    throw new Error(`${seam} is in dist/src ${found.length} times: ${found.map(({ path }) => path).join(', ')}`);
  const { path, text, node } = only;
  try {
    const changed = text.slice(0, node.getStart()) + rewrite(node) + text.slice(node.getEnd());
    return new Map(sources).set(path, changed);
  } catch (error) {
    throw new Error(`${seam} in ${path} ${(error as Error).message}`, { cause: error });
  }
}

const nodesOf = (node: ts.Node): ts.Node[] => {
  const nodes = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
};
