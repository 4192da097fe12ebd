// The waiting time of a newcomer: `npm start` in a fresh clone until it is ready and until the first order is completed, and the
// same at the second start. Goals: a first order within 25 s with a warm npm cache, 45 s with a cold one; ready within 2 s
// the second time. It needs no packages of this checkout.
//   npm run bench -- first-start [--rev REVISION] [--cold]
// It measures the committed state only. `--cold` gives npm an empty cache.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { rev: { type: 'string', default: 'HEAD' }, cold: { type: 'boolean', default: false } },
});
/** Far above any goal, so that only a start that hangs ends the run. */
const GIVE_UP_MS = 1_200_000;
const TICKS_PER_SECOND = 100;

const git = (...args) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim();
const round = (value, digits = 1) => Number(value.toFixed(digits));

try {
  git('rev-parse', 'HEAD');
} catch (error) {
  console.log(`Nothing is measured where there is nothing to clone: ${String(error.stderr ?? error.message).trim()}`);
  process.exit(0);
}

const directory = mkdtempSync(path.join(tmpdir(), 'first-start-'));
const clone = path.join(directory, 'clone');
let running;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    void (running?.stop() ?? Promise.resolve()).finally(() => {
      rmSync(directory, { recursive: true, force: true });
      process.exit(130);
    });
  });
}

try {
  const revision = git('rev-parse', '--short', options.rev);
  git('clone', '--quiet', '--no-checkout', checkout, clone);
  execFileSync('git', ['-C', clone, 'checkout', '--quiet', '--detach', git('rev-parse', options.rev)]);
  const figures = { revision, cache: options.cold ? 'cold' : 'warm', load: round(loadavg()[0]) };
  const first = await start();
  Object.assign(figures, prefixed('first', first), { 'second, load': round(loadavg()[0]) });
  const second = await start();
  Object.assign(figures, prefixed('second', second));
  report(figures, [first, second]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** One `npm start`, from the command to its end. */
async function start() {
  const startedMs = performance.now();
  const seconds = () => round((performance.now() - startedMs) / 1_000);
  const run = (running = launch());
  try {
    await run.until(() => run.output().includes('Ctrl-C stops everything'));
    const ready = seconds();
    await orderOnce(run);
    const order = seconds();
    const cpu = cpuSecondsOf(run.pid);
    const installed = installedNow();
    await pagesOf(run);
    const noise = run
      .output()
      .split('\n')
      .filter((line) => /\bwarn(ing)?\b|EBADENGINE|deprecat/i.test(line));
    return {
      'ready, s': ready,
      'first order, s': order,
      'CPU until then, s': cpu,
      packages: installed.packages,
      MB: installed.megabytes,
      'pages, s': seconds(),
      'lines of warnings': noise.length,
    };
  } finally {
    await run.stop();
    running = undefined;
  }
}

function launch() {
  // A process group of its own, which is ended as Ctrl-C ends it.
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const ended = once(child, 'close');
  const output = () => text;
  return {
    pid: child.pid,
    output,
    /** Polls until there is a result, unless the start ends first. */
    async until(isSo) {
      const giveUpMs = performance.now() + GIVE_UP_MS;
      while (!(await isSo())) {
        if (child.exitCode !== null || child.signalCode !== null || performance.now() > giveUpMs)
          throw new Error(`npm start did not get this far:\n${text}`);
        await Promise.race([sleep(20), ended]);
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGINT');
      await ended;
    },
  };
}

/** The environment of a fresh terminal: without the variables that npm adds, and with free ports. */
function environment() {
  const ours = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'NODE_ENV', 'NODE_OPTIONS', 'TOPUP_DATA_DIR'];
  const ofNpm = /^(npm_(package|lifecycle|config_local_prefix|execpath|node_execpath|command)|INIT_CWD)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.includes(name) && !ofNpm.test(name));
  const searched = (process.env.PATH ?? '').split(':').filter((each) => !/node_modules/.test(each));
  return {
    ...Object.fromEntries(kept),
    PATH: searched.join(':'),
    PORT: '0',
    MANAGEMENT_PORT: '0',
    CONSOLE_PORT: '0',
    ...(options.cold && { npm_config_cache: path.join(directory, 'npm-cache') }),
  };
}

function found(run, pattern) {
  return pattern.exec(run.output())?.[1] ?? `nothing like ${pattern}`;
}

/** Places an order in the sandbox, as the banner shows, and waits until it is completed. */
async function orderOnce(run) {
  const orders = found(run, /curl -sS -X POST (\S+)/);
  const headers = { 'X-API-Key': found(run, /Sandbox key +(\S+)/), 'Content-Type': 'application/json' };
  const reference = `first-start-${Date.now()}`;
  const items = [{ sku: 'MLBB-86', quantity: 1 }];
  const body = JSON.stringify({ reference_id: reference, user_id: 'player-1', server_id: '2001', items });
  const created = await fetch(orders, { method: 'POST', headers, body });
  if (!created.ok) throw new Error(`the first order was answered ${created.status}: ${await created.text()}`);
  await run.until(async () => {
    const order = await (await fetch(`${orders}/${reference}`, { headers })).json();
    return order.status === 'completed';
  });
}

/** Waits until the merchants' documentation and the console are there. */
async function pagesOf(run) {
  const places = [found(run, /Documentation +(\S+)/), found(run, /Console +(\S+)/)];
  for (const place of places)
    await run.until(async () => {
      const response = await fetch(place, { headers: { Accept: 'text/html' } }).catch(() => null);
      return response?.ok && !/not built/.test(await response.text());
    });
}

function installedNow() {
  const locked = JSON.parse(readFileSync(path.join(clone, 'node_modules/.package-lock.json'), 'utf8')).packages;
  const files = readdirSync(path.join(clone, 'node_modules'), { recursive: true });
  const bytes = files.map((name) => lstatSync(path.join(clone, 'node_modules', name)).blocks * 512);
  const packages = Object.values(locked).filter(({ link }) => !link).length;
  return { packages, megabytes: Math.round(bytes.reduce((sum, each) => sum + each, 0) / 1e6) };
}

/** The processor time of a process and its descendants, ended ones included; null if the system does not report it. */
function cpuSecondsOf(root) {
  let processes;
  try {
    processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(processOf);
  } catch {
    return null;
  }
  const belongs = new Set([root]);
  for (let size = 0; size !== belongs.size;) {
    size = belongs.size;
    for (const { pid, parent } of processes) if (belongs.has(parent)) belongs.add(pid);
  }
  const ticks = processes.filter(({ pid }) => belongs.has(pid)).reduce((sum, each) => sum + each.ticks, 0);
  return round(ticks / TICKS_PER_SECOND);
}

function processOf(name) {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // utime, stime, cutime and cstime.
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    return [{ pid: Number(name), parent: Number(fields[1]), ticks }];
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}

function prefixed(prefix, figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}, ${name}`, value]));
}

/** Does what `report` does for other benchmarks. This one can't import it, because packages may be missing. */
function report(result, rounds) {
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  console.table(result);
  console.log(machine);
  const file = path.join(checkout, 'bench/results/first-start.json');
  writeFileSync(file, `${JSON.stringify({ name: 'first-start', machine, result, rounds }, null, 2)}\n`);
}
