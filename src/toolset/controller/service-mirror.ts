import {
  type Discovered,
  type Discovery,
  type DiscoveryRules,
  type Recognised,
  recognise,
  sortOut,
} from "../discover/discover.ts";
import { type KubeService, serviceFacts } from "../discover/service.ts";
import { refText } from "../tool.ts";
import type { ObjectMirror } from "./reflector.ts";

/** The Services that matter, and nothing else of them: of ten thousand in a cluster, a handful are tools. */
export class ServiceMirror {
  readonly #rules: DiscoveryRules;
  readonly #onChange: () => void;
  readonly #known = new Map<string, Recognised>();

  constructor(rules: DiscoveryRules, onChange: () => void) {
    this.#rules = rules;
    this.#onChange = onChange;
  }

  /** The part of the mirror that one reflector fills; each watched namespace has its own. */
  part(namespace: string | undefined): ObjectMirror {
    return {
      beginList: () => {
        const listed = new Map<string, Recognised>();
        return {
          take: (item) => {
            const found = this.#recognise(item as KubeService);
            if (found.recognised.kind !== "none") listed.set(found.key, found.recognised);
          },
          commit: () => {
            for (const key of this.#known.keys())
              if (namespace === undefined || key.startsWith(`${namespace}/`)) this.#known.delete(key);
            for (const [key, recognised] of listed) this.#known.set(key, recognised);
            this.#onChange();
          },
        };
      },
      changed: (type, item) => {
        const { key, recognised } = this.#recognise(item as KubeService);
        const isGone = type === "DELETED" || recognised.kind === "none";
        if (isGone && !this.#known.has(key)) return;
        if (isGone) this.#known.delete(key);
        else this.#known.set(key, recognised);
        this.#onChange();
      },
    };
  }

  /** What is discovered; those that are not well wait. */
  discovered(isWell: (discovery: Discovery) => boolean): Discovered {
    return sortOut(this.#known.values(), isWell);
  }

  discoveries(): readonly Discovery[] {
    return this.discovered(() => true).discoveries;
  }

  #recognise(service: KubeService): { key: string; recognised: Recognised } {
    const { name = "", namespace = "" } = service.metadata ?? {};
    const facts = serviceFacts(service);
    return { key: refText({ namespace, name }), recognised: facts ? recognise(facts, this.#rules) : { kind: "none" } };
  }
}
