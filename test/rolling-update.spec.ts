import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';

/**
 * A `docker` that keeps each container as a file, and writes down each command. It fails at the step that FAILING names.
 * `up` starts containers up to the scale, even if it fails afterwards.
 */
const DOCKER = `#!/bin/sh
cd "$PLACE"
echo "$*" >> commands
for last; do :; done
case "$*" in
  'compose config --images '*) echo topup:new ;;
  'image inspect '*) [ "$FAILING" != image ] ;;
  'compose run '*) [ "$FAILING" != migration ] ;;
  'compose ps -q '* | 'compose ps -aq '*) ls containers | grep "^$last-" || : ;;
  'compose up '*)
    scale=$(echo "$*" | sed -n 's/.*--scale [a-z]*=\\([0-9]*\\) .*/\\1/p')
    count=$(ls containers | grep -c "^$last-" || :)
    while [ "$count" -lt "\${scale:-1}" ]; do
      count=$((count + 1))
      touch "containers/$last-new-$count"
    done
    [ "$FAILING" != "$last" ] ;;
  'logs '*) echo "$last lacks a setting" ;;
  'rm '*) shift; for container; do rm "containers/$container"; done ;;
esac
`;

let place: string;

beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'topup-update-'));
  mkdirSync(path.join(place, 'bin'));
  mkdirSync(path.join(place, 'containers'));
  writeFileSync(path.join(place, 'bin/docker'), DOCKER, { mode: 0o755 });
  for (const name of ['api-old-1', 'api-old-2', 'worker-old-1'])
    writeFileSync(path.join(place, 'containers', name), '');
});

afterEach(() => {
  rmSync(place, { recursive: true });
});

/** Runs the script. @returns its exit code, its standard error, and what is there afterwards. */
function update(failing = ''): { code: number | null; stderr: string; containers: string[]; commands: string[] } {
  const { status, stderr } = spawnSync('sh', [path.join(projectRoot, 'deploy/rolling-update.sh')], {
    env: { PATH: `${path.join(place, 'bin')}:${process.env.PATH}`, PLACE: place, FAILING: failing },
    encoding: 'utf8',
  });
  const commands = readFileSync(path.join(place, 'commands'), 'utf8').trim().split('\n');
  return { code: status, stderr, containers: readdirSync(path.join(place, 'containers')).sort(), commands };
}

describe('The rolling update', () => {
  it('migrates before it starts a new process, and ends with as many processes as before', () => {
    const { code, stderr, containers, commands } = update();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const steps = commands.filter((command) => /^compose (run|up) |^(stop|rm) /.test(command));
    expect(steps).toEqual([
      'compose run --rm --no-deps -T api node dist/src/migrate.js',
      expect.stringMatching(/^compose up .*--wait --scale api=4 api$/),
      'stop api-old-1 api-old-2',
      'rm api-old-1 api-old-2',
      expect.stringMatching(/^compose up .*--wait --scale worker=2 worker$/),
      'stop worker-old-1',
      'rm worker-old-1',
    ]);
    expect(containers).toEqual(['api-new-3', 'api-new-4', 'worker-new-2']);
  });

  it('removes new processes that do not get ready, says why, and leaves the old ones', () => {
    for (const _run of ['first', 'second']) {
      const { code, stderr, containers, commands } = update('api');
      expect(code).toBe(1);
      expect(stderr).toContain('api-new-3 lacks a setting\n');
      expect(stderr).toContain('api: the new processes did not get ready and were removed. The old ones continue.');
      expect(containers).toEqual(['api-old-1', 'api-old-2', 'worker-old-1']);
      expect(commands.filter((command) => command.startsWith('stop ')).at(-1)).toBe('stop api-new-3 api-new-4');
    }
  });

  it('leaves the new APIs where only the workers do not get ready', () => {
    const { code, stderr, containers } = update('worker');
    expect(code).toBe(1);
    expect(stderr).toContain('worker: the new processes did not get ready and were removed.');
    expect(containers).toEqual(['api-new-3', 'api-new-4', 'worker-old-1']);
  });

  it.each(['image', 'migration'])('starts and stops nothing without the %s', (failing) => {
    const { code, containers, commands } = update(failing);
    expect(code).toBe(1);
    expect(containers).toEqual(['api-old-1', 'api-old-2', 'worker-old-1']);
    expect(commands.filter((command) => /^compose up |^(stop|rm) /.test(command))).toEqual([]);
  });
});
