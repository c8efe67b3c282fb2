/** Modules as a tree: scopes with slashes, each with the time of what is in it. */

export interface Module {
  /** The last part of its scope. */
  readonly name: string;
  readonly path: string;
  /** ns, of itself and of what is in it. */
  readonly time: number;
  /** Among the members of the module around it, for its colour. */
  readonly place: number;
  readonly members: readonly Module[];
}

interface Growing {
  readonly name: string;
  readonly path: string;
  time: number;
  readonly place: number;
  readonly members: Map<string, Growing>;
}

const settled = ({ members, ...one }: Growing): Module => ({ ...one, members: [...members.values()].map(settled) });

/** The tree of all scopes; `name` is that of its root. What is in no scope counts in the root alone. */
export function treeOf(rows: readonly { readonly scope: string; readonly time: number }[], name: string): Module {
  const root: Growing = { name, path: '', time: 0, place: 0, members: new Map() };
  for (const { scope, time } of rows) {
    root.time += time;
    let around = root;
    for (const part of scope.split('/').filter(Boolean)) {
      const path = around.path ? `${around.path}/${part}` : part;
      const known = around.members.get(part);
      const inside = known ?? { name: part, path, time: 0, place: around.members.size, members: new Map() };
      if (!known) around.members.set(part, inside);
      inside.time += time;
      around = inside;
    }
  }
  return settled(root);
}

/** The module of a path; the root, where it is gone. */
export function moduleAt(root: Module, path: string): Module {
  let found: Module | undefined = root;
  for (const part of path.split('/').filter(Boolean)) found = found?.members.find(({ name }) => name === part);
  return found ?? root;
}

export interface Placed {
  readonly module: Module;
  /** From 0 to 1, of the width of the module in front. */
  readonly start: number;
  readonly share: number;
  readonly depth: number;
}

/** Where a module and those in it are drawn, if they are as wide as `least`. */
export function placed(module: Module, least: number): readonly Placed[] {
  const found: Placed[] = [];
  const put = (one: Module, start: number, depth: number): void => {
    const share = module.time > 0 ? one.time / module.time : 0;
    if (share < least && depth > 0) return;
    found.push({ module: one, start, share, depth });
    let at = start;
    for (const member of [...one.members].sort((a, b) => b.time - a.time)) {
      put(member, at, depth + 1);
      at += module.time > 0 ? member.time / module.time : 0;
    }
  };
  put(module, 0, 0);
  return found;
}
