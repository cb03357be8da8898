# The source of the recipes is the last commit of the repository around this layer.
OUTBOARD_REPOSITORY ?= "${@os.path.realpath(d.getVar('THISDIR') + '/../../../..')}"
OUTBOARD_BRANCH ?= "main"
# nooelint: oelint.vars.mispell.unknown - for the recipes
OUTBOARD_SOURCE = "git://${OUTBOARD_REPOSITORY};protocol=file;branch=${OUTBOARD_BRANCH}"

# outboard_crates(d): the crates of Cargo.lock, so that there is no second list of them.
def outboard_crates(d):
    import re
    lock = d.getVar('OUTBOARD_REPOSITORY') + '/Cargo.lock'
    bb.parse.mark_dependency(d, lock)
    uris = []
    with open(lock) as file:
        packages = file.read().split('[[package]]')
    for package in packages:
        crate = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', package, re.M))
        if 'checksum' in crate:
            uris.append('crate://crates.io/{name}/{version};sha256sum={checksum}'.format(**crate))
    return ' '.join(uris)
