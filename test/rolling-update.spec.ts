import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';

/**
 * A `docker` that keeps each container as a file with its state and health, and writes down each command. It fails at the step
 * that FAILING names. `up` starts containers up to the scale, even if it fails afterwards; a `sleep` later, they are as AFTERWARDS
 * says. Of the images, only that of the service is there.
 */
const DOCKER = `#!/bin/sh
cd "$PLACE"
echo "$*" >> commands
for last; do :; done
case "$*" in
  'compose config --images api worker') printf '%s\\n' postgres:17 topup:new redis:7 topup:new ;;
  'compose config --images postgres redis') printf '%s\\n' postgres:17 redis:7 ;;
  'image inspect topup:new'*) [ "$FAILING" != image ] && [ "$*" = 'image inspect topup:new topup:new' ] ;;
  'image inspect '*) exit 1 ;;
  'compose run '*) [ "$FAILING" != migration ] ;;
  'compose ps -q '*) grep -lE '^(running|restarting)' containers/"$last"-* | grep -v -e -run- | sed 's,.*/,,' ;;
  'compose ps -aq '*) ls containers | grep "^$last-" || : ;;
  'ps -aq --no-trunc '*'label=com.docker.compose.project=shop '*'label=com.docker.compose.oneoff=False')
    service=$(echo "$*" | sed 's/.*compose.service=\\([a-z]*\\) .*/\\1/')
    ls containers | grep "^$service-" | grep -v -e -run- || : ;;
  'inspect -f '*com.docker.compose.project*) shift 3; for container; do echo shop; done ;;
  'inspect -f '*) shift 3; for container; do cat "containers/$container" || exit 1; done ;;
  'compose up '*)
    scale=$(echo "$*" | sed -n 's/.*--scale [a-z]*=\\([0-9]*\\) .*/\\1/p')
    count=$(ls containers | grep "^$last-" | grep -vc -e -run- || :)
    while [ "$count" -lt "\${scale:-1}" ]; do
      count=$((count + 1))
      echo 'running starting' > "containers/$last-new-$count"
    done
    case "$FAILING" in
      "$last") exit 1 ;;
      oneoff) echo 'running starting' > "containers/$last-run-1"; exit 1 ;;
      hangup) kill -HUP $PPID ;;
    esac
    # With --wait, Compose judges all of the service's processes.
    case "$*" in *' --wait '*) ! grep -q unhealthy containers/"$last"-* ;; esac ;;
  'logs '*)
    echo "$last lacks a setting"
    # A shell that ends repeats the signal.
    [ "$FAILING" != hangup ] || kill -HUP $PPID ;;
  'stop '*)
    [ "$FAILING" != stopping ] || kill -TERM "$(cat script)"
    # Ctrl-C ends the command line of Docker, too.
    case "$FAILING" in
      stopping | hangup) [ -e interrupted ] || { echo > interrupted; exit 130; } ;;
    esac ;;
  'rm '*) shift; for container; do rm "containers/$container"; done ;;
esac
`;

const SLEEP = `#!/bin/sh
cd "$PLACE"
for container in $(grep -l starting containers/*); do echo "$AFTERWARDS" > "$container"; done
`;

let place: string;

beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'topup-update-'));
  mkdirSync(path.join(place, 'bin'));
  mkdirSync(path.join(place, 'containers'));
  writeFileSync(path.join(place, 'bin/docker'), DOCKER, { mode: 0o755 });
  writeFileSync(path.join(place, 'bin/sleep'), SLEEP, { mode: 0o755 });
  for (const name of ['api-old-1', 'api-old-2', 'worker-old-1']) container(name, 'running healthy');
});

afterEach(() => {
  rmSync(place, { recursive: true });
});

function container(name: string, state: string): void {
  writeFileSync(path.join(place, 'containers', name), state);
}

/** Runs the script. @returns its exit code, its standard error, and what is there afterwards. */
function update(
  failing = '',
  afterwards = 'running healthy',
): { code: number | null; stderr: string; containers: string[]; commands: string[] } {
  const script = path.join(projectRoot, 'deploy/rolling-update.sh');
  const { status, stderr } = spawnSync('sh', ['-c', 'echo $$ > "$PLACE/script"; exec sh "$0"', script], {
    env: {
      PATH: `${path.join(place, 'bin')}:${process.env.PATH}`,
      PLACE: place,
      FAILING: failing,
      AFTERWARDS: afterwards,
    },
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
      expect.stringMatching(/^compose up -d .*--scale api=4 api$/),
      'stop api-old-1 api-old-2',
      'rm api-old-1 api-old-2',
      expect.stringMatching(/^compose up -d .*--scale worker=2 worker$/),
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

  it('replaces old processes that are unhealthy: it may be their cure', () => {
    container('api-old-1', 'running unhealthy');
    expect(update()).toMatchObject({ code: 0, containers: ['api-new-3', 'api-new-4', 'worker-new-2'] });
  });

  it('starts a new process for each one that runs, and leaves none that had stopped', () => {
    container('api-old-2', 'exited healthy');
    expect(update()).toMatchObject({ code: 0, containers: ['api-new-3', 'worker-new-2'] });
  });

  it.each(['running unhealthy', 'exited healthy', 'restarting starting', 'running starting'])(
    'removes new processes that are "%s" in the end',
    (afterwards) => {
      const { code, stderr, containers } = update('', afterwards);
      expect(code).toBe(1);
      expect(stderr).toContain('api: the new processes did not get ready and were removed. The old ones continue.');
      expect(containers).toEqual(['api-old-1', 'api-old-2', 'worker-old-1']);
    },
  );

  it('leaves the containers of `docker compose run`', () => {
    container('api-run-7', 'running starting');
    expect(update('oneoff').containers).toEqual(['api-old-1', 'api-old-2', 'api-run-1', 'api-run-7', 'worker-old-1']);
    expect(update()).toMatchObject({
      code: 0,
      containers: ['api-new-3', 'api-new-4', 'api-run-1', 'api-run-7', 'worker-new-2'],
    });
  });

  it('removes its new processes when its terminal closes, also if Ctrl-C comes while they stop', () => {
    expect(update('hangup')).toMatchObject({ code: 1, containers: ['api-old-1', 'api-old-2', 'worker-old-1'] });
  });

  it('removes the old processes first if Ctrl-C comes while they stop', () => {
    expect(update('stopping')).toMatchObject({ code: 1, containers: ['api-new-3', 'api-new-4', 'worker-old-1'] });
  });

  it.each(['image', 'migration'])('starts and stops nothing without the %s', (failing) => {
    const { code, containers, commands } = update(failing);
    expect(code).toBe(1);
    expect(containers).toEqual(['api-old-1', 'api-old-2', 'worker-old-1']);
    expect(commands.filter((command) => /^compose up |^(stop|rm) /.test(command))).toEqual([]);
  });
});
