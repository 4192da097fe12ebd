import { ActionIcon, Checkbox, SegmentedControl, Tooltip } from '@mantine/core';
import { Fragment, useState, type ReactNode } from 'react';
import { useT, useWords } from '../i18n/words';
import { formatDay, formatDuration } from '../i18n/moments';
import { DownIcon } from './icons';
import { Moment, ZoneName } from './moment';
import { Empty } from './states';
import { arrange, isBad, type TimelineEntry, type TimelineGroup, type TimelineLine } from './timeline-model';
import classes from './timeline.module.css';

interface TimelineProps<Entry extends TimelineEntry> {
  entries: readonly Entry[];
  /** Renders an entry in a line or two. @param times the number of equal entries, of which this is the latest. */
  render: (entry: Entry, times: number) => ReactNode;
  iconOf: (entry: Entry) => ReactNode;
  isGrouped: boolean;
  isBadOnly: boolean;
  onView: (view: { isGrouped: boolean; isBadOnly: boolean }) => void;
}

/** A timeline, as one column or grouped by unit. It folds idle time, and each entry can show its JSON. */
export function Timeline<Entry extends TimelineEntry>(props: TimelineProps<Entry>): ReactNode {
  const { entries, isGrouped, isBadOnly, onView } = props;
  const t = useT();
  const groups = arrange(entries, { isGrouped, isBadOnly });
  return (
    <div>
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('timeline.arrangement')}
          value={isGrouped ? 'units' : 'time'}
          onChange={(value) => onView({ isGrouped: value === 'units', isBadOnly })}
          data={[
            { value: 'time', label: t('timeline.byTime') },
            { value: 'units', label: t('timeline.byUnit') },
          ]}
        />
        <Checkbox
          size="xs"
          label={t('timeline.badOnly')}
          checked={isBadOnly}
          onChange={(event) => onView({ isGrouped, isBadOnly: event.currentTarget.checked })}
        />
      </div>
      {groups.length === 0 && <Empty title={t(isBadOnly ? 'timeline.nothingBad' : 'timeline.nothing')} />}
      {groups.map((group) => (
        <Group key={group.unit ?? ''} group={group} {...props} />
      ))}
    </div>
  );
}

function Group<Entry extends TimelineEntry>({
  group: { unit, lines },
  isGrouped,
  ...props
}: TimelineProps<Entry> & { group: TimelineGroup<Entry> }): ReactNode {
  const t = useT();
  return (
    <section className={classes.group}>
      {isGrouped && <h3>{unit === null ? t('timeline.whole') : t('timeline.unit', { unit })}</h3>}
      <ol className={classes.lines}>
        {lines.map((line, position) => (
          <Fragment key={'idleMs' in line ? `idle ${line.index}` : line.index}>
            <Day of={line} before={lines[position - 1]} />
            <Line line={line} {...props} isGrouped={isGrouped} />
          </Fragment>
        ))}
      </ol>
    </section>
  );
}

/** A heading with day and zone, shown above the first entry and wherever the day changes. */
function Day<Entry extends TimelineEntry>({
  of,
  before,
}: {
  of: TimelineLine<Entry>;
  before: TimelineLine<Entry> | undefined;
}): ReactNode {
  const { language, zone } = useWords();
  const dayOf = ({ at }: { at: string }): string => formatDay(at, language, zone);
  if (before && dayOf(before) === dayOf(of)) return null;
  return (
    <li className={classes.day}>
      {dayOf(of)} · <ZoneName />
    </li>
  );
}

function Line<Entry extends TimelineEntry>({
  line,
  render,
  iconOf,
  isGrouped,
}: TimelineProps<Entry> & { line: TimelineLine<Entry> }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const [isRaw, setRaw] = useState(false);
  if ('idleMs' in line) {
    return <li className={classes.idle}>{t('timeline.idle', { duration: formatDuration(line.idleMs, language) })}</li>;
  }
  const { entry, entries } = line;
  return (
    <li className={classes.line} data-bad={isBad(entry)}>
      <span className={classes.icon}>{iconOf(entry)}</span>
      <div className={classes.what}>
        <div className={classes.said}>
          {!isGrouped && entry.unit && <span className={classes.unit}>{entry.unit}</span>}
          {render(entry, entries.length)}
        </div>
        {isRaw && (
          // The JSON may be wider than the page, and keyboard users must be able to scroll it.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          <pre className={classes.raw} tabIndex={0}>
            {JSON.stringify(entries.length > 1 ? entries : entry, null, 2)}
          </pre>
        )}
      </div>
      <span className={classes.at}>
        <Moment at={line.at} form="time" zoned={false} />
      </span>
      <Tooltip label={t('timeline.raw')} openDelay={300}>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          className={classes.expand}
          aria-label={t('timeline.raw')}
          aria-expanded={isRaw}
          onClick={() => setRaw(!isRaw)}
        >
          <DownIcon />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}
