import { drag, type Setting } from '@insight-host/kit';
import type { JSX } from 'preact';

export interface DividerProps {
  readonly label: string;
  /** Per cent of the width, from the left. */
  readonly setting: Setting<number>;
}

const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -100,
  End: 100,
};

/** The line between two pictures that lie on each other. */
export function Divider({ label, setting }: DividerProps): JSX.Element {
  const set = (value: number): void => setting.set(Math.round(Math.max(0, Math.min(100, value))));
  return (
    <div
      class="divider"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={setting.value}
      data-control="swipe"
      style={{ left: `${setting.value}%` }}
      onPointerDown={(event) => {
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        const before = setting.value;
        if (box)
          drag(event, {
            move: ({ clientX }) => set(((clientX - box.left) / box.width) * 100),
            cancel: () => set(before),
          });
      }}
      onKeyDown={(event) => {
        const by = KEYS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        set(setting.value + by);
      }}
    />
  );
}
