/** Names of groups without their columns (`0.1 · adam` of `lr=0.1 · optimizer=adam`), where all have the same. */

interface GroupNames {
  /** The columns, said once; "" where names stay whole. */
  readonly heading: string;
  readonly names: readonly string[];
}

export function groupNames(labels: readonly string[]): GroupNames {
  const parts = labels.map((label) => label.split(' · ').map((part) => part.split(/=(.*)/s)));
  const [heading = '', ...others] = parts.map((one) => one.map(([column]) => column).join(' · '));
  const areColumns = parts.every((one) => one.every(([column, value]) => column && value));
  if (others.length === 0 || !areColumns || others.some((other) => other !== heading))
    return { heading: '', names: labels };
  return { heading, names: parts.map((one) => one.map(([, value]) => value).join(' · ')) };
}
