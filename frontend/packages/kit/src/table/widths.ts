import type { PluginContext } from '@insight-host/api';
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Widths } from './layout';

/**
 * Widths of the columns of a table as the user has set them, which this browser remembers under the name of the table.
 */
export function useWidths(memory: PluginContext['memory'], name: string): { value: Widths } {
  const key = `widths.${name}`;
  const widths = useMemo(
    () => signal<Widths>(new Map(memory.get<readonly (readonly [string, number])[]>(key, []))),
    [key],
  );
  return {
    get value() {
      return widths.value;
    },
    set value(next) {
      widths.value = next;
      memory.set(key, [...next]);
    },
  };
}
