// The simulated Opn in a process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOpn } from '../../tools/simulators/opn/vendor.js';

const dataDir = mkdtempSync(path.join(tmpdir(), 'topup-opn-'));
process.on('disconnect', () => process.exit(0));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
const { url } = await startOpn({ port: 0, host: '127.0.0.1', dataDir, account: {}, readings: {} });
process.send?.({ port: Number(new URL(url).port) });
