import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const checkout = fileURLToPath(new URL('..', import.meta.url));
let project: string;

/** @returns the output of a tool of this checkout about the project. @throws Error with the output if the tool fails. */
function run(tool: string, ...args: string[]): Promise<string> {
  const bin = path.join(checkout, 'node_modules', '.bin', tool);
  return new Promise((resolve, reject) => {
    execFile(bin, args, { cwd: project }, (error, stdout, stderr) =>
      error ? reject(new Error(`${tool}: ${stdout}${stderr}`)) : resolve(stdout),
    );
  });
}

beforeAll(() => {
  // Inside the checkout, so that the project finds its packages and the settings of the tools.
  mkdirSync(path.join(checkout, '.local'), { recursive: true });
  project = mkdtempSync(path.join(checkout, '.local', 'generate-'));
  const write = (name: string, text: string): void => writeFileSync(path.join(project, name), text);
  copyFileSync(path.join(checkout, 'nest-cli.json'), path.join(project, 'nest-cli.json'));
  mkdirSync(path.join(project, 'src'));
  write('package.json', '{ "type": "module" }\n');
  write('tsconfig.json', '{ "extends": "../../tsconfig.json", "include": ["src"] }\n');
  write(
    'src/app.module.ts',
    "import { Module } from '@nestjs/common';\n\n@Module({ imports: [] })\nexport class AppModule {}\n",
  );
});

afterAll(() => rmSync(project, { recursive: true }));

describe('nest generate', () => {
  it('writes code that passes linter, formatter and compiler unchanged', async () => {
    await Promise.all([
      run('nest', 'generate', 'resource', 'refunds', '--type', 'rest', '--crud', '--spec'),
      run('nest', 'generate', 'pipe', 'cents'),
    ]);
    const files = readdirSync(project, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^src.*\.ts$/.test(name),
    );
    expect(files).toHaveLength(10);
    const config = path.join(checkout, '.oxlintrc.json');
    await Promise.all([
      run('oxlint', '--config', config, '--deny-warnings', ...files),
      run('prettier', '--check', 'src'),
      run('tsc', '--noEmit'),
    ]);
  });
});
