import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { projectRoot } from '../../src/core/project-root.js';
import { endProcess } from '../support/child-process.js';
import { eventually } from '../support/eventually.js';
import { keptPort } from '../support/kept-port.js';
import { findProgram } from '../support/programs.js';

const alertmanager = await findProgram('prometheus-alertmanager');

/** Debian's Alertmanager reads its templates there. A fetched one gets its own files, in a mount namespace. */
const SHARED = '/usr/share';
const share = path.join(path.dirname(alertmanager?.program ?? ''), '../share');
const isInstalled = existsSync(path.join(SHARED, 'prometheus/alertmanager/default.tmpl'));
const prefix = isInstalled
  ? []
  : ['unshare', '--map-root-user', '--mount', 'sh', '-c', `mount --bind "$0" ${SHARED} && exec "$@"`, share];
const canRun =
  alertmanager !== null && (isInstalled || spawnSync('unshare', [...prefix.slice(1), 'true']).status === 0);
if (!canRun)
  process.stderr.write('SKIPPED, because there is no alertmanager that can run here: alerts of the profile edge\n');

const VARIABLES = [...readFileSync(path.join(projectRoot, '.env.example'), 'utf8').matchAll(/^ALERT_[A-Z_]+/gm)].map(
  String,
);
const ALERT = {
  labels: { alertname: 'TopupBackupOld', severity: 'critical' },
  annotations: { summary: 'The last complete backup is 2d old', runbook_url: 'docs/operations.md#backups-stop' },
};

let closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return portOf(server);
}

/** Telegram's API. @param seen gets each request. */
async function startTelegram(seen: { url: string | undefined; body: unknown }[]): Promise<number> {
  const server = createHttpServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ url: request.url, body: JSON.parse(body) });
      response.setHeader('content-type', 'application/json').setHeader('connection', 'close');
      response.end(
        JSON.stringify({ ok: true, result: { message_id: 1, date: 1, chat: { id: -100123, type: 'group' } } }),
      );
    });
  });
  return listening(server);
}

/** A mail server. @param seen gets each line that it receives. */
async function startMail(seen: string[]): Promise<number> {
  const server = createServer((socket) => {
    let isBody = false;
    let rest = '';
    socket.on('error', () => undefined);
    socket.write('220 mail\r\n');
    socket.on('data', (part) => {
      const lines = (rest + String(part)).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        seen.push(line);
        if (isBody && line !== '.') continue;
        isBody = line === 'DATA';
        socket.write(isBody ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  return listening(server);
}

/** The start script in a folder of its own. @param changes of what it writes, so that messages stay on this machine. */
function prepare(changes: [from: string, to: string][] = []): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'topup-alertmanager-'));
  closing.unshift(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  cpSync(path.join(projectRoot, 'deploy/alertmanager'), folder, { recursive: true });
  mkdirSync(path.join(folder, 'bin'));
  const file = path.join(folder, 'start.sh');
  let script = readFileSync(file, 'utf8')
    .replaceAll('/etc/topup', folder)
    .replace('/tmp/alertmanager.yml', `${folder}/written.yml`)
    .replace('=/alertmanager', `=${folder}/data`);
  for (const [from, to] of changes) {
    expect(script).toContain(from);
    script = script.replaceAll(from, to);
  }
  writeFileSync(file, script);
  return folder;
}

function start(
  folder: string,
  env: Record<string, string>,
  before: string[] = [],
  errors: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  // Without a value, docker compose gives a blank.
  const blanks = Object.fromEntries(VARIABLES.map((name) => [name, ' ']));
  const [program = '', ...args] = [...before, 'sh', path.join(folder, 'start.sh')];
  return spawn(program, args, {
    env: { ...blanks, ...env, PATH: `${folder}/bin:${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'pipe', errors],
  });
}

const TELEGRAM = { ALERT_TELEGRAM_TOKEN: '123:it’s', ALERT_TELEGRAM_CHAT: '-100123' };
const EMAIL = { ALERT_EMAIL_TO: 'ops@example.com', ALERT_EMAIL_FROM: 'topup@example.com' };

(canRun ? describe : describe.skip)('Alertmanager, with the files of deploy/alertmanager', () => {
  it('sends an alert by Telegram and by e-mail, to what .env names', async () => {
    const messages: { url: string | undefined; body: unknown }[] = [];
    const mail: string[] = [];
    const telegram = await startTelegram(messages);
    const smtp = await startMail(mail);
    const port = await keptPort();
    const folder = prepare([
      ['group_wait: 30s', 'group_wait: 0s'],
      [`parse_mode: ''`, `parse_mode: ''\n        api_url: http://127.0.0.1:${telegram}`],
      ['send_resolved: true', 'send_resolved: true\n        require_tls: false'],
      ['--cluster.listen-address=', `--cluster.listen-address= --web.listen-address=127.0.0.1:${port}`],
    ]);
    symlinkSync(alertmanager?.program ?? '', path.join(folder, 'bin', 'alertmanager'));
    const child = start(folder, { ...TELEGRAM, ...EMAIL, ALERT_SMTP_SERVER: `127.0.0.1:${smtp}` }, prefix);
    closing.push(() => endProcess(child));
    const base = `http://127.0.0.1:${port}`;
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error('Alertmanager has ended');
        return (await fetch(`${base}/-/ready`).catch(() => null))?.status;
      },
      (status) => status === 200,
    );
    const body = JSON.stringify([ALERT]);
    await fetch(`${base}/api/v2/alerts`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await eventually(
      () => [messages.length, mail.filter((line) => line === '.').length],
      ([sent = 0, posted = 0]) => sent > 0 && posted > 0,
    );
    expect(messages[0]).toEqual({
      url: `/bot${encodeURI(TELEGRAM.ALERT_TELEGRAM_TOKEN)}/sendMessage`,
      body: expect.objectContaining({
        chat_id: '-100123',
        text: 'FIRING critical: The last complete backup is 2d old\ndocs/operations.md#backups-stop\n',
      }),
    });
    expect(mail).toEqual(expect.arrayContaining(['MAIL FROM:<topup@example.com>', 'RCPT TO:<ops@example.com>']));
    expect(mail.join('\n')).toContain('TopupBackupOld');
  });
});

describe('deploy/alertmanager/start.sh', () => {
  /** Prints the configuration with which it would start Alertmanager. */
  async function configured(env: Record<string, string>, own?: string): Promise<string> {
    const folder = prepare();
    if (own !== undefined) writeFileSync(path.join(folder, 'alertmanager.yml'), own);
    writeFileSync(path.join(folder, 'bin', 'alertmanager'), '#!/bin/sh\ncat "${1#*=}"\n', { mode: 0o755 });
    const child = start(folder, env);
    return text(child.stdout!);
  }

  it('writes what LINE takes', async () => {
    const printed = await configured({ ALERT_LINE_TOKEN: 'token', ALERT_LINE_TO: 'U4af49806' });
    const [said, ...config] = printed.split('\n');
    expect(said).toBe('alerts go to: LINE');
    const { receivers } = load(config.join('\n')) as { receivers: { webhook_configs: Record<string, unknown>[] }[] };
    expect(receivers[0]?.webhook_configs).toEqual([
      {
        url: 'https://api.line.me/v2/bot/message/push',
        http_config: { authorization: { credentials: 'token' } },
        payload: expect.stringMatching(
          /^\{\{ \$text := "" \}\}.+printf "%s%s %s: %s\\n%s\\n" \$text.+"to" "U4af49806"/,
        ),
      },
    ]);
  });

  it('leaves out a channel that lacks its receiver, with which Alertmanager would not start', async () => {
    const printed = await configured({
      ALERT_TELEGRAM_TOKEN: '1:a',
      ALERT_LINE_TOKEN: 'token',
      ALERT_LINE_TO: 'U4af49806',
    });
    expect(printed).toMatch(/^alerts go to: LINE$/m);
    expect(printed).not.toContain('telegram_configs');
  });

  it('sends no e-mail without a sender or a server, with which Alertmanager would not start', async () => {
    const email = { ...EMAIL, ALERT_SMTP_SERVER: 'smtp.example.com:587' };
    expect(await configured(email)).toMatch(/^alerts go to: e-mail$/m);
    const byAddress = { ...email, ALERT_SMTP_SERVER: '[2001:db8::1]:587' };
    expect(await configured(byAddress)).toMatch(/^alerts go to: e-mail$/m);
    for (const missing of ['ALERT_EMAIL_FROM', 'ALERT_SMTP_SERVER']) {
      const printed = await configured({ ...TELEGRAM, ...email, [missing]: ' ' });
      expect(printed).toMatch(/^alerts go to: Telegram$/m);
      expect(printed).not.toContain('email_configs');
    }
  });

  it.each([
    ['a chat by its name', { ...TELEGRAM, ALERT_TELEGRAM_CHAT: '@ops' }, /ALERT_TELEGRAM_CHAT is @ops: .+ -100123456/],
    [
      'a mail server without its port',
      { ...EMAIL, ALERT_SMTP_SERVER: 'smtp.example.com' },
      /ALERT_SMTP_SERVER is smtp.example.com: .+:587/,
    ],
    [
      'a mail server with a word as its port',
      { ...EMAIL, ALERT_SMTP_SERVER: 'smtp.example.com:tls' },
      /com:tls: .+:587/,
    ],
    [
      'an IPv6 address without brackets',
      { ...EMAIL, ALERT_SMTP_SERVER: '2001:db8::1:25' },
      /ALERT_SMTP_SERVER is 2001:db8::1:25: .+:587/,
    ],
  ])('says what to write instead of %s, and ends', async (_what, env, message) => {
    const folder = prepare();
    writeFileSync(path.join(folder, 'bin', 'alertmanager'), '#!/bin/sh\n', { mode: 0o755 });
    const child = start(folder, env, [], 'pipe');
    const ended = once(child, 'exit');
    expect(await text(child.stderr!)).toMatch(message);
    expect(await ended).toEqual([1, null]);
  });

  it('names nobody without a channel, and prefers a configuration of the operator', async () => {
    expect(await configured({})).toMatch(/^alerts go to: nobody, because \.env has no ALERT_TELEGRAM_TOKEN/);
    expect(await configured(TELEGRAM, 'route: { receiver: mine }\n')).toBe('route: { receiver: mine }\n');
  });
});
