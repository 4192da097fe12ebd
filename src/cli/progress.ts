import { streams, type Output, canRewrite } from './streams.js';

/** Reports progress. @param done null if the command counts nothing. @param what the current step, in words. */
export type ReportProgress = (done: number | null, total?: number, what?: string) => void;

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows the progress of long work in one line on standard error, and clears the line at the end. Shows nothing if
 * standard error is no terminal, or a terminal that can't rewrite a line.
 * @param label such as `Importing products`.
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
    const share = done === null ? undefined : total === undefined ? `${done}` : `${done} of ${total}`;
    const line = `${label}: ${[share, what].filter((part) => part !== undefined).join(', ')}`;
    stream.write(CLEAR_LINE + line.slice(0, Math.max((stream.columns || 80) - 1, 20)));
  };
  try {
    return await work(report);
  } finally {
    stream.write(CLEAR_LINE);
  }
}
