import encodeQr from 'qr';
import type { ReactNode } from 'react';
import classes from './me.module.css';

/** Draws a QR code in the browser, so that its secret goes nowhere else. */
export function Qr({ text, label }: { text: string; label: string }): ReactNode {
  const modules = encodeQr(text, 'raw', { border: 1 });
  const size = modules.length;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
