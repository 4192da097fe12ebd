import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { CheckIcon, CopyIcon } from './icons';

/** Copies a value. @param what names it for screen readers, such as "order number". @param shortcut the key that does the same. */
export function Copy({ value, what, shortcut }: { value: string; what: string; shortcut?: string }): ReactNode {
  const t = useT();
  const { copied, copy } = useClipboard();
  return (
    <Tooltip label={copied ? t('action.copied') : t('action.copy')} openDelay={300}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        data-shortcut={shortcut}
        onClick={() => copy(value)}
        aria-label={copied ? t('action.copied') : t('action.copyWhat', { what })}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The same as a button with words. @param value makes the text when it is asked for. */
export function CopyText({ value, children }: { value: () => string; children: ReactNode }): ReactNode {
  const t = useT();
  const { copied, copy } = useClipboard();
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={copied ? <CheckIcon /> : <CopyIcon />}
      onClick={() => copy(value())}
    >
      {copied ? t('action.copied') : children}
    </Button>
  );
}
