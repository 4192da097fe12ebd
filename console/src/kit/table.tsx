import { ActionIcon } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useId, useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { DownIcon } from './icons';
import classes from './table.module.css';

export interface Column<Row> {
  id: string;
  head: ReactNode;
  /** Something before the heading, such as a checkbox for all rows. Cards leave it out. */
  headAction?: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Numbers and amounts align to the right. */
  align?: 'end';
  /** The place in a phone's card: first line, top right corner, below with its heading (the default), or hidden. */
  card?: 'title' | 'corner' | 'hidden';
  /** The width of the window in pixels from which the column is visible. `card`: only the cards of a phone show it. */
  from?: 1000 | 1120 | 1300 | 1680 | 'card';
  /** Whether to cut long text with an ellipsis. */
  isCut?: boolean;
}

interface TableProps<Row> {
  /** The label for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where a row leads. The title column holds the link, so that it can open in a new tab. */
  linkOf?: (row: Row) => LinkProps;
  /** Details of a row, hidden until the operator opens them. */
  moreOf?: (row: Row) => ReactNode;
}

/** Two facts in one cell, the second one small and below the first. The corner of a phone's card shows only the first. */
export function Stack({ children, below }: { children: ReactNode; below: ReactNode }): ReactNode {
  return (
    <span className={classes.stack}>
      <span>{children}</span>
      {below && <span className={classes.below}>{below}</span>}
    </span>
  );
}

/** Rows as a table, and as cards on a phone. */
export function Table<Row>({ label, columns, rows, keyOf, linkOf, moreOf }: TableProps<Row>): ReactNode {
  const t = useT();
  return (
    <table className={classes.table} aria-label={label}>
      <thead className={classes.head}>
        <tr>
          {columns.map(({ id, head, headAction, align, from }) => (
            <th key={id} scope="col" data-align={align} data-from={from}>
              {headAction} {head}
            </th>
          ))}
          {moreOf && (
            <th scope="col">
              <span className="hidden">{t('table.more')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Line key={keyOf(row)} {...{ columns, row, linkOf, moreOf }} />
        ))}
      </tbody>
    </table>
  );
}

function Line<Row>({
  columns,
  row,
  linkOf,
  moreOf,
}: Pick<TableProps<Row>, 'columns' | 'linkOf' | 'moreOf'> & { row: Row }): ReactNode {
  const t = useT();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr className={classes.row} data-linked={linkOf !== undefined} data-open={isOpen}>
        {columns.map((column) => (
          <Cell key={column.id} column={column} row={row} linkOf={linkOf} />
        ))}
        {moreOf && (
          <td data-align="end" data-card="more">
            <span className={classes.content}>
              <ActionIcon
                {...{ size: 'sm', variant: 'subtle', color: 'gray', className: classes.expand }}
                aria-label={t('table.more')}
                aria-expanded={isOpen}
                aria-controls={isOpen ? id : undefined}
                onClick={() => setOpen(!isOpen)}
              >
                <DownIcon />
              </ActionIcon>
            </span>
          </td>
        )}
      </tr>
      {moreOf && isOpen && (
        <tr id={id} className={classes.more}>
          <td colSpan={columns.length + 1}>{moreOf(row)}</td>
        </tr>
      )}
    </>
  );
}

function Cell<Row>({
  column: { head, cell, align, card, from, isCut },
  row,
  linkOf,
}: Pick<TableProps<Row>, 'linkOf'> & { column: Column<Row>; row: Row }): ReactNode {
  const content = cell(row);
  const isLink = card === 'title' && linkOf !== undefined;
  return (
    <td data-align={align} data-card={card} data-from={from} data-cut={isCut}>
      {!card && (
        <span className={classes.label} aria-hidden="true">
          {head}
        </span>
      )}
      {isLink ? (
        <Link {...linkOf(row)} className={classes.link} data-row-link="">
          {content}
        </Link>
      ) : (
        <span className={classes.content}>{content}</span>
      )}
    </td>
  );
}
