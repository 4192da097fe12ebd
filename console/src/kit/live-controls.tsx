import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT, useWords } from '../i18n/words';
import { formatTime } from '../i18n/moments';
import { PauseIcon, PlayIcon } from './icons';
import { pausedSince } from './live';
import { useStore } from './store';

/** Pauses and resumes the automatic refresh, and shows since when it is paused. */
export function LiveButton(): ReactNode {
  const t = useT();
  const { language, zone } = useWords();
  const since = useStore(pausedSince);
  return (
    <Button
      size="xs"
      variant="default"
      aria-pressed={since !== null}
      leftSection={since === null ? <PauseIcon /> : <PlayIcon />}
      onClick={() => pausedSince.set(since === null ? new Date().toISOString() : null)}
    >
      {since === null ? t('live.pause') : t('live.pausedSince', { time: formatTime(since, language, zone) })}
    </Button>
  );
}

/** Shows how many new rows there are, and inserts them when clicked. */
export function FreshButton({ count, onShow }: { count: number; onShow: () => void }): ReactNode {
  const t = useT();
  return (
    <span role="status">
      {count > 0 && (
        <Button size="xs" onClick={onShow}>
          {t('live.fresh', { count })}
        </Button>
      )}
    </span>
  );
}
