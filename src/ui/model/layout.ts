export type Size = {readonly columns: number; readonly rows: number};

/** On narrower screens, one pane is shown at a time. */
const twoPanes = 64;
/** The same if the right one is a panel, which needs more space. */
const planAndPanel = 80;

/** How the screen is divided. */
export type Layout = {
  readonly width: number;
  /** All rows that may be drawn on. */
  readonly height: number;
  readonly hasTwoPanes: boolean;
  readonly treeWidth: number;
  readonly detailWidth: number;
  /** Rows inside the frame of a pane. */
  readonly paneRows: number;
};

export function layoutOf({columns, rows}: Size, hasPanel = false, isZoomed = false): Layout {
  const width = Math.max(20, columns);
  const height = Math.max(6, rows);
  const hasTwoPanes = !isZoomed && width >= (hasPanel ? planAndPanel : twoPanes);
  const share = hasPanel ? 0.3 : 0.42;
  const [narrowest, widest] = hasPanel ? [24, 56] : [30, 72];
  const treeWidth = hasTwoPanes ? Math.min(widest, Math.max(narrowest, Math.floor(width * share))) : width;
  return {
    width,
    height,
    hasTwoPanes,
    treeWidth,
    detailWidth: hasTwoPanes ? width - treeWidth : width,
    // Header, banner, keys, and the frame itself.
    paneRows: Math.max(1, height - 5),
  };
}

/** Inside the frame of the right pane. */
export const detailColumns = ({layout}: {readonly layout: Layout}): number =>
  Math.max(8, layout.detailWidth - 4);

/** The help has no frame and uses those rows, except for the line with the position. */
export const helpRows = ({paneRows}: Layout): number => paneRows + 1;
