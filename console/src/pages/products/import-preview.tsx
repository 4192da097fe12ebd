import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isProblem } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Section } from '../../kit/page';
import { Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import type { components } from '../../schema';
import type { Kind, Previewed } from './import-calls';
import classes from './import.module.css';
import { MemberChanges } from './member-changes';
import { PriceChanges, PriceMove } from './price-changes';

/** Above this many changes the operator must type their number. */
export const TYPED_ABOVE = 100;
const SHOWN_AT_FIRST = 200;

type ProductChange = components['schemas']['ProductChangeDto'];
type Problem = components['schemas']['CsvProblemDto'];

interface ImportPreviewProps {
  kind: Kind;
  name: string;
  preview: Previewed;
  onAgain: () => void;
  /** Called when the preview is outdated. */
  onStale: () => void;
  onImport: () => Promise<void>;
}

/** Everything that a file would change, and its errors. */
export function ImportPreview({ kind, name, preview, onAgain, onStale, onImport }: ImportPreviewProps): ReactNode {
  const t = useT();
  const [isConfirming, setConfirming] = useState(false);
  const [isStale, setStale] = useState(false);
  const { added, changed, problem_count: wrong } = preview;
  const count = added + changed;
  return (
    <>
      <div className={classes.bar}>
        <Summary preview={preview} />
        <div className={classes.buttons}>
          <Button size="xs" variant="default" onClick={onAgain}>
            {t('import.again')}
          </Button>
          {count > 0 && wrong === 0 && (
            <Button size="xs" onClick={() => setConfirming(true)}>
              {t('import.verb', { count })}
            </Button>
          )}
        </div>
      </div>
      {wrong > 0 && <Problems problems={preview.problems} count={wrong} />}
      {count > 0 && <Changes preview={preview} />}
      {count === 0 && wrong === 0 && <Empty title={t('import.nothing')}>{name}</Empty>}
      {isConfirming && (
        <Confirm
          title={name || t('import.title')}
          verb={t('import.verb', { count })}
          typed={count > TYPED_ABOVE ? String(count) : undefined}
          onConfirm={async () => {
            try {
              await onImport();
            } catch (error) {
              setStale(isProblem(error, 409));
              throw error;
            }
          }}
          onClose={() => {
            setConfirming(false);
            if (isStale) onStale();
          }}
        >
          <p>
            {t('import.changes', {
              added: t(kind === 'products' ? 'import.addsProducts' : 'import.addsPrices', { count: added }),
              count: changed,
            })}
          </p>
          <Alarms preview={preview} />
        </Confirm>
      )}
    </>
  );
}

function Summary({ preview }: { preview: Previewed }): ReactNode {
  const t = useT();
  return (
    <div role="status">
      <ul className={classes.summary}>
        <li>{t('import.added', { count: preview.added })}</li>
        <li>{t('import.changed', { count: preview.changed })}</li>
        <li>{t('import.unchanged', { count: preview.unchanged })}</li>
        {preview.problem_count > 0 && <li data-tone="bad">{t('import.wrong', { count: preview.problem_count })}</li>}
        {preview.moved_far > 0 && <li data-tone="warn">{t('import.moved', { count: preview.moved_far })}</li>}
        {preview.below_cost > 0 && <li data-tone="bad">{t('priceChange.belowCost', { count: preview.below_cost })}</li>}
      </ul>
    </div>
  );
}

function Alarms({ preview: { moved_far: moved, below_cost: below } }: { preview: Previewed }): ReactNode {
  const t = useT();
  if (moved + below === 0) return null;
  return (
    <ul className={classes.alarms}>
      {moved > 0 && <li>{t('import.moved', { count: moved })}</li>}
      {below > 0 && <li>{t('priceChange.belowCost', { count: below })}</li>}
    </ul>
  );
}

function Problems({ problems, count }: { problems: Problem[]; count: number }): ReactNode {
  const t = useT();
  return (
    <Section title={t('import.wrong', { count })}>
      <p className={classes.hint}>{t('import.wrongHint')}</p>
      <Table
        label={t('import.wrong', { count })}
        columns={[
          {
            id: 'line',
            head: t('import.line'),
            cell: ({ line }) => <span className="number">{line}</span>,
            card: 'corner',
          },
          {
            id: 'column',
            head: t('import.column'),
            cell: ({ column }) => <span className="mono">{column}</span>,
          },
          { id: 'why', head: t('import.why'), cell: ({ words }) => words, card: 'title' },
        ]}
        rows={problems}
        keyOf={({ line, column, words }) => `${line} ${column} ${words}`}
      />
    </Section>
  );
}

function Changes({ preview }: { preview: Previewed }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const [isExpanded, setExpanded] = useState(false);
  const all = preview.changes;
  return (
    <Section title={t('import.change')}>
      {preview.kind === 'prices' ? (
        <PriceChanges changes={isExpanded ? preview.changes : preview.changes.slice(0, SHOWN_AT_FIRST)} />
      ) : (
        <Table
          label={t('import.change')}
          columns={columnsOf(t, language)}
          rows={isExpanded ? preview.changes : preview.changes.slice(0, SHOWN_AT_FIRST)}
          keyOf={({ sku }) => sku}
        />
      )}
      {!isExpanded && all.length > SHOWN_AT_FIRST && (
        <Button size="xs" variant="subtle" onClick={() => setExpanded(true)}>
          {t('priceChange.showAll', { count: all.length })}
        </Button>
      )}
    </Section>
  );
}

const columnsOf = (t: Translate, language: string): Column<ProductChange>[] => [
  {
    id: 'sku',
    head: t('productMember.sku'),
    cell: ({ sku }) => <span className="mono">{sku}</span>,
    card: 'title',
  },
  {
    id: 'change',
    head: t('import.change'),
    cell: ({ change }) => t(change === 'added' ? 'import.isAdded' : 'import.isChanged'),
    card: 'corner',
  },
  { id: 'members', head: t('product.changes'), cell: ({ changes }) => <MemberChanges changes={changes} /> },
  {
    id: 'moves',
    head: t('import.moves'),
    cell: (row) => <PriceMove percent={row.price_moves_percent} isBelowCost={row.below_cost} language={language} />,
    align: 'end',
  },
];
