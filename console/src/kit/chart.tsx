import { Button } from '@mantine/core';
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { formatShortDay, formatShortMoment, formatTime } from '../i18n/moments';
import { useT, useWords } from '../i18n/words';
import {
  barsOf,
  HEIGHT,
  highestOf,
  labelledSteps,
  lineOf,
  middleOf,
  scaleOf,
  sparkOf,
  WIDTH,
  type Series,
} from './chart-model';
import classes from './chart.module.css';

export type { ChartTone, Series } from './chart-model';

export interface ChartProps {
  /** The label for screen readers, and the title of the table. */
  label: string;
  /** Lines that overlap, or stacked bars. */
  kind: 'lines' | 'bars';
  /** When each time step begins, oldest first. */
  at: readonly string[];
  series: readonly Series[];
  /** Formats a value with its unit. */
  format?: (value: number) => string;
  /** Formats the start of a step. By default in the operator's zone, as precisely as the step length needs. */
  formatAt?: (at: string) => string;
  /** Whether values are whole numbers, so that the scale has whole marks. */
  isWhole?: boolean;
  /** The height of the picture in pixels. */
  height?: number;
  /** A further column of the table, with its texts. */
  column?: { name: string; texts: readonly string[] };
}

interface Drawn extends Required<Omit<ChartProps, 'isWhole' | 'column'>>, Pick<ChartProps, 'column'> {
  /** The marks of the scale, from 0 upwards. */
  marks: readonly number[];
}

const DAY_MS = 86_400_000;

/** Values over time, as a picture that pointer and arrow keys can read, or as a table. */
export function Chart({ isWhole, height = 180, ...props }: ChartProps): ReactNode {
  const t = useT();
  const { language } = useWords();
  const [isTable, setTable] = useState(false);
  const formatAt = useFormatAt(props.at);
  const numbers = new Intl.NumberFormat(language === 'th' ? 'th-TH' : 'en-GB', { maximumFractionDigits: 2 });
  const marks = scaleOf(highestOf(props.series, props.kind === 'bars'), isWhole);
  const drawn = { format: (value: number) => numbers.format(value), formatAt, height, marks, ...props };
  const isEmpty = props.series.every(({ values }) => values.every((value) => value === null));
  return (
    <figure className={classes.chart} aria-label={props.label}>
      <figcaption className={classes.legend}>
        {props.series.map(({ name, tone }, index) => (
          <span key={name} className={classes.name}>
            <Swatch kind={props.kind} tone={tone} index={index} />
            {name}
          </span>
        ))}
        <Button
          className={classes.switch}
          size="compact-xs"
          variant="subtle"
          aria-pressed={isTable}
          aria-label={`${t('chart.asTable')}: ${props.label}`}
          onClick={() => setTable(!isTable)}
        >
          {t('chart.asTable')}
        </Button>
      </figcaption>
      {isEmpty ? (
        <p className={classes.empty}>{t('chart.empty')}</p>
      ) : isTable ? (
        <ValueTable {...drawn} />
      ) : (
        <Picture {...drawn} />
      )}
    </figure>
  );
}

/** Formats days as dates, longer ranges as date and time, and everything else as time. */
function useFormatAt(at: readonly string[]): (at: string) => string {
  const { language, zone } = useWords();
  const [first, second, last] = [at[0], at[1], at.at(-1)].map((each) => Date.parse(each ?? ''));
  if (Number(second) - Number(first) >= DAY_MS) return (each) => formatShortDay(each, language, zone);
  if (Number(last) - Number(first) > DAY_MS) return (each) => formatShortMoment(each, language, zone);
  return (each) => formatTime(each, language, zone).slice(0, 5);
}

/** A sample of how a series is drawn. Lines differ by dashes as well as by colour. */
function Swatch({ kind, tone, index }: Pick<Series, 'tone'> & Pick<ChartProps, 'kind'> & { index: number }): ReactNode {
  return (
    <svg className={classes.swatch} width="16" height="10" viewBox="0 0 16 10" aria-hidden="true">
      {kind === 'bars' ? (
        <rect className={classes.bar} data-tone={tone} x="3" width="10" height="10" rx="2" />
      ) : (
        <path className={classes.line} data-tone={tone} data-dash={index % 3} d="M0 5h16" />
      )}
    </svg>
  );
}

function Picture(props: Drawn): ReactNode {
  const { at, series, kind, marks, label, height, format } = props;
  const [step, setStep] = useState<number | null>(null);
  const [last, top] = [at.length - 1, marks.at(-1) ?? 1];
  const point = (event: PointerEvent<HTMLElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setStep(Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * at.length))));
  };
  const move = (event: KeyboardEvent): void => {
    const next = nextStep(event.key, step ?? last, last);
    if (next === null) return;
    event.preventDefault();
    setStep(next);
  };
  return (
    <div className={classes.picture}>
      <div className={classes.scale} aria-hidden="true">
        {marks.map((mark) => (
          <span key={mark} style={{ bottom: `${(mark / top) * 100}%` }}>
            {format(mark)}
          </span>
        ))}
      </div>
      <div
        className={classes.plot}
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={step ?? last}
        aria-valuetext={textOf(props, step ?? last)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setStep(null)}
        onFocus={() => setStep((before) => before ?? last)}
        onBlur={() => setStep(null)}
        onKeyDown={move}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {marks.map((mark) => (
            <path
              key={mark}
              className={classes.mark}
              data-base={mark === 0}
              d={`M0 ${HEIGHT - (mark / top) * HEIGHT}h${WIDTH}`}
            />
          ))}
          {step !== null && <path className={classes.pointed} d={`M${middleOf(step, at.length)} 0v${HEIGHT}`} />}
          {kind === 'bars' ? <Bars series={series} top={top} /> : <Lines series={series} top={top} />}
        </svg>
        {step !== null && <Values {...props} step={step} />}
      </div>
      <Times {...props} />
    </div>
  );
}

/** The step that a key selects. Null for other keys. */
function nextStep(key: string, step: number, last: number): number | null {
  const next = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last }[key];
  return next === undefined ? null : Math.min(last, Math.max(0, next));
}

const valueText = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '—' : format(value);

const textOf = ({ at, series, format, formatAt }: Drawn, step: number): string =>
  [formatAt(at[step] ?? ''), ...series.map(({ name, values }) => `${name} ${valueText(values[step], format)}`)].join(
    ', ',
  );

function Lines({ series, top }: { series: readonly Series[]; top: number }): ReactNode {
  return series.map(({ name, tone, values }, index) => (
    <path key={name} className={classes.line} data-tone={tone} data-dash={index % 3} d={lineOf(values, top)} />
  ));
}

function Bars({ series, top }: { series: readonly Series[]; top: number }): ReactNode {
  return barsOf(series, top).map((bars, index) => (
    <g key={series[index]?.name} className={classes.bar} data-tone={series[index]?.tone}>
      {bars.map((bar) => (
        <rect key={bar.x} {...bar} />
      ))}
    </g>
  ));
}

/** The values of the selected step, on the side of its marker where there is more room. */
function Values({ at, series, format, formatAt, kind, step }: Drawn & { step: number }): ReactNode {
  const place = `${((step + 0.5) / at.length) * 100}%`;
  const isLate = step >= at.length / 2;
  return (
    <div
      className={classes.values}
      style={isLate ? { right: `calc(100% - ${place} + 8px)` } : { left: `calc(${place} + 8px)` }}
      aria-hidden="true"
    >
      <span className={classes.when}>{formatAt(at[step] ?? '')}</span>
      {series.map(({ name, tone, values }, index) => (
        <span key={name} className={classes.value}>
          <Swatch kind={kind} tone={tone} index={index} />
          {name}
          <b>{valueText(values[step], format)}</b>
        </span>
      ))}
    </div>
  );
}

function Times({ at, formatAt }: Drawn): ReactNode {
  return (
    <div className={classes.times} aria-hidden="true">
      {labelledSteps(at.length).map((step) => (
        <span key={step} style={{ left: `${((step + 0.5) / at.length) * 100}%` }}>
          {formatAt(at[step] ?? '')}
        </span>
      ))}
    </div>
  );
}

/** Newest first, like all lists. */
function ValueTable({ label, at, series, format, formatAt, height, column }: Drawn): ReactNode {
  const t = useT();
  return (
    <div
      className={classes.table}
      style={{ maxHeight: height + 24 }}
      role="region"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
      tabIndex={0}
      aria-label={label}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {column && <th scope="col">{column.name}</th>}
          </tr>
        </thead>
        <tbody>
          {at
            .map((each, step) => (
              <tr key={each}>
                <th scope="row">{formatAt(each)}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{valueText(values[step], format)}</td>
                ))}
                {column && <td>{column.texts[step]}</td>}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}

/** A small line over its base line, without a scale, for use beside a number that states the last value. */
export function Sparkline({
  values,
  tone = 'accent',
}: {
  values: readonly (number | null)[];
  tone?: Series['tone'];
}): ReactNode {
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0)) * 1.05;
  return (
    <svg className={classes.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path className={classes.mark} data-base="true" d={`M0 ${HEIGHT}h${WIDTH}`} />
      <path className={classes.line} data-tone={tone} data-dash="0" d={sparkOf(values, top)} />
    </svg>
  );
}
