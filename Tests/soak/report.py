"""The table at the end."""


def table(soak, seed, seconds):
    ledger = soak.ledger
    lines = [f"seed {seed}: {len(soak.devices)} devices, {len(soak.links)} links, {seconds / 60:.0f} minutes, "
             f"{soak.done} acts, {len(ledger.wills)} choices", ""]
    ways = sorted({key.split(": ")[0] for key in ledger.outcomes})
    ends = ["restored", "failed", "unanswered", "no end"]
    lines.append(f"{'choices':<32}" + "".join(f"{end:>12}" for end in ends))
    for way in ways:
        lines.append(f"{way:<32}" + "".join(f"{ledger.outcomes[f'{way}: {end}'] or '':>12}" for end in ends))
    lines.append(f"{'all':<32}" + "".join(
        f"{sum(ledger.outcomes[f'{way}: {end}'] for way in ways):>12}" for end in ends))
    lines += ["", "unanswered: the daemon that was asked had ended; its continuation went on and had its end"]
    lines += ["", "failed with:"] + [f"  {reason:<30}{count:>6}" for reason, count in ledger.reasons.most_common()]
    restored = sum(found.count("continue") for found in ledger.continuations.values())
    told = sum(key.was_continued for key in ledger.keys.values())
    lines += ["", f"{len(ledger.continuations)} continuations, {restored} restored, {told} told to their origins"]
    lines += ["", f"{'held':<28}{'seconds':>8}{'descriptors':>14}{'PSS, KiB':>16}{'anonymous, KiB':>18}"]
    for name, time, first, last in soak.growth.rows()[:2 + len(soak.devices)]:
        lines.append(
            f"{name:<28}{time:>8.0f}{f'{first.descriptors} -> {last.descriptors}':>14}"
            f"{f'{first.pss} -> {last.pss}':>16}{f'{first.anonymous} -> {last.anonymous}':>18}")
    for what, about in ledger.failures:
        lines += ["", f"BROKEN: {what}", *(f"    {line}" for line in about)]
    lines += ["", f"{len(ledger.failures)} rules broken" if ledger.failures else "all rules kept"]
    return "\n".join(lines)
