import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { isProblem, Problem } from '../api';
import { useT } from '../i18n/words';
import { Copy } from './copy';
import classes from './states.module.css';

/** Says why a list is empty, and what to do about it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}): ReactNode {
  return (
    <div className={classes.state}>
      <p className={classes.title}>{title}</p>
      {children && <p className={classes.text}>{children}</p>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

/** Shows an error with a way out: retry, ask an administrator, or search. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }): ReactNode {
  if (isProblem(error, 403)) return <Forbidden problem={error} />;
  if (isProblem(error, 404)) return <NotFound message={error.message} />;
  return <Broken error={error} onRetry={onRetry} />;
}

function Broken({ error, onRetry }: { error: Error; onRetry?: () => void }): ReactNode {
  const t = useT();
  const problem = error instanceof Problem ? error : null;
  return (
    <div className={classes.state} role="alert">
      <p className={classes.title}>{t(problem?.status === 0 ? 'state.unreachable' : 'state.failed')}</p>
      <p className={classes.text}>{error.message}</p>
      {problem?.requestId && (
        <p className={classes.request}>
          <span>
            {t('state.requestId')} <code className="mono">{problem.requestId}</code>
          </span>
          <Copy value={problem.requestId} what={t('state.requestId')} />
        </p>
      )}
      {onRetry && (
        <div className={classes.action}>
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('action.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}

function Forbidden({ problem }: { problem: Problem }): ReactNode {
  const t = useT();
  const permission = problem.details.find(({ code }) => code === 'PERMISSION_REQUIRED')?.field;
  return (
    <div className={classes.state} role="alert">
      <p className={classes.title}>{t('state.forbidden')}</p>
      <p className={classes.text}>
        {permission ? t('state.forbiddenWithout', { permission }) : problem.message} {t('state.forbiddenWho')}
      </p>
    </div>
  );
}

export function NotFound({ message }: { message?: string }): ReactNode {
  const t = useT();
  return (
    <div className={classes.state} role="alert">
      <p className={classes.title}>{t('state.notFound')}</p>
      {message && <p className={classes.text}>{message}</p>}
      <div className={classes.action}>
        <Link to="/search" search={{}} className={classes.link}>
          {t('state.searchInstead')}
        </Link>
      </div>
    </div>
  );
}

const PLACEHOLDER_DELAY_MS = 200;

/** Placeholders of the height of the content. They appear after a moment, so that a quick answer does not flicker. */
export function Loading({ rows = 8, height = 20 }: { rows?: number; height?: number }): ReactNode {
  const t = useT();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setShown(true), PLACEHOLDER_DELAY_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className={classes.loading} aria-busy="true">
      <span className="hidden">{t('state.loading')}</span>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} visible className={isShown ? undefined : classes.unseen} />
      ))}
    </div>
  );
}

/** The error that hides the data of a query. Null when the data may be shown, or before the first answer. */
export function failureOf({ data, error, isPlaceholderData }: UseQueryResult): Error | null {
  const isRefused = isProblem(error) && error.status >= 400 && error.status < 500 && error.status !== 429;
  return error && (data === undefined || isRefused || isPlaceholderData) ? error : null;
}

/**
 * Renders the data of a query, placeholders before the first answer, or the error when there is no data. When a later
 * request of the same data fails, the data stays visible, and the bar at the top reports the failure. But if the API
 * refuses that request (4xx, except 429), the error replaces the data.
 */
export function Answered<Data>({
  query,
  rows,
  children,
}: {
  query: UseQueryResult<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}): ReactNode {
  const { data, isPlaceholderData, refetch } = query;
  const failure = failureOf(query);
  if (failure) return <Failure error={failure} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={rows} />;
  return <div className={isPlaceholderData ? classes.stale : undefined}>{children(data)}</div>;
}
