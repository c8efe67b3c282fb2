/** Metrics in the run list have a bar: where a value stands between the smallest and the largest one of all runs. */
import { API, type Contributions } from '@insight-host/api';
import { valueText } from '@insight-host/kit';

export default {
  apiVersion: API,
  columns(column) {
    if (column.plugin !== 'lineage' || column.group !== 'metric') return null;
    let [low, high] = [Infinity, -Infinity];
    for (const value of Object.values(column.values)) {
      if (typeof value !== 'number') continue; // not finite
      [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    return {
      cell(value) {
        const cell = document.createElement('span');
        cell.textContent = typeof value === 'number' ? valueText(value) : String(value);
        if (typeof value !== 'number' || low === high) return cell;
        const part = `${(100 * (value - low)) / (high - low)}%`;
        cell.style.display = 'block';
        cell.style.backgroundImage = `linear-gradient(to right, var(--accent-bg) ${part}, transparent ${part})`;
        return cell;
      },
    };
  },
} satisfies Contributions;
