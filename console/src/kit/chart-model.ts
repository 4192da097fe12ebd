/** Coordinates of a chart: `WIDTH` across, and `HEIGHT` up to the highest mark of the scale. */

export type ChartTone = 'accent' | 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

export interface Series {
  name: string;
  tone: ChartTone;
  /** One value for each time step. Null when the value is unknown. */
  values: readonly (number | null)[];
}

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const WIDTH = 1000;
export const HEIGHT = 100;
/** The share of a step's width that its bar fills. */
const BAR_SHARE = 0.78;
const STEPS = [1, 2, 2.5, 5, 10];
const MARKS = 4;

/** A few round marks from 0 to at least `highest`. @param isWhole whether values are whole numbers. */
export function scaleOf(highest: number, isWhole = false): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const found = (STEPS.find((each) => each * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const step = isWhole ? Math.max(1, Math.ceil(found)) : found;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The highest value of any line, or the highest stack of bars. */
export function highestOf(series: readonly Series[], isStacked: boolean): number {
  if (!isStacked) return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const steps = Math.max(0, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: steps }, (_, step) =>
    series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
  );
  return Math.max(0, ...sums);
}

/** The x coordinate of the middle of a step. */
export const middleOf = (step: number, steps: number): number => ((step + 0.5) / steps) * WIDTH;

/** A value between two gaps is drawn this wide, so that it is seen. */
const LONE_WIDTH = 12;

/** The SVG path of a line. It breaks at unknown values, and a value between two gaps becomes a short stroke. */
export function lineOf(values: readonly (number | null)[], top: number): string {
  let path = '';
  let isDrawing = false;
  values.forEach((value, step) => {
    if (value === null) {
      isDrawing = false;
      return;
    }
    const isAlone = !isDrawing && (values[step + 1] ?? null) === null;
    const x = middleOf(step, values.length) - (isAlone ? LONE_WIDTH / 2 : 0);
    const point = `${rounded(x)} ${rounded(HEIGHT - (value / top) * HEIGHT)}`;
    path += isAlone ? `M${point}h${LONE_WIDTH}` : `${isDrawing ? 'L' : 'M'}${point}`;
    isDrawing = true;
  });
  return path;
}

/**
 * The SVG path of a line over the whole width. An unknown value is drawn like the last known one before it, or like 0 if there is
 * none.
 */
export function sparkOf(values: readonly (number | null)[], top: number): string {
  let last = 0;
  return values
    .map((value, step) => {
      last = value ?? last;
      const x = (step / Math.max(1, values.length - 1)) * WIDTH;
      return `${step === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(HEIGHT - (last / top) * HEIGHT)}`;
    })
    .join('');
}

/** The bars of each series, stacked with the first series at the bottom. */
export function barsOf(series: readonly Series[], top: number): Bar[][] {
  const reached: number[] = [];
  return series.map(({ values }) =>
    values.flatMap((value, step) => {
      if (!value) return [];
      const from = reached[step] ?? 0;
      reached[step] = from + value;
      const width = (WIDTH / values.length) * BAR_SHARE;
      return {
        x: rounded(middleOf(step, values.length) - width / 2),
        y: rounded(HEIGHT - ((from + value) / top) * HEIGHT),
        width: rounded(width),
        height: rounded((value / top) * HEIGHT),
      };
    }),
  );
}

/** The steps that get a time label: at most `max`, evenly spaced. */
export function labelledSteps(steps: number, max = 6): number[] {
  const every = Math.max(1, Math.ceil(steps / max));
  return Array.from({ length: Math.ceil(steps / every) }, (_, index) => index * every);
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
