import { streams, type Output, canRewrite } from './streams.js';

/** Says how far the work is. @param what it is at, in words. */
export type ReportProgress = (done: number, total?: number, what?: string) => void;

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows on standard error how far long work is, in one line that is gone when it ends; nothing where standard error is
 * no terminal.
 * @param label what is done, such as `Importing products`.
 */
export async function withProgress<Result>(
  label: string,
  work: (report: ReportProgress) => Promise<Result>,
  stream: Output = streams().stderr,
): Promise<Result> {
  if (!canRewrite(stream)) return work(() => undefined);
  let drawnMs = -Infinity;
  const report: ReportProgress = (done, total, what) => {
    const nowMs = performance.now();
    if (nowMs - drawnMs < REDRAW_MS) return;
    drawnMs = nowMs;
    const share = total === undefined ? `${done}` : `${done} of ${total}`;
    const line = `${label}: ${share}${what === undefined ? '' : `, ${what}`}`;
    stream.write(CLEAR_LINE + line.slice(0, Math.max((stream.columns || 80) - 1, 20)));
  };
  try {
    return await work(report);
  } finally {
    stream.write(CLEAR_LINE);
  }
}
