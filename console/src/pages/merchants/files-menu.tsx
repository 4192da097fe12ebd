import { Button, Popover } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './statement.module.css';

/** A button that opens the choices for a file, and its links. */
export function FilesMenu({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default">
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.choices}>{children}</div>
      </Popover.Dropdown>
    </Popover>
  );
}
